#pragma once

/// What the user typed, as plain data. The only place that knows CLI11 is command_line.cc.

#include <optional>
#include <string>
#include <variant>

namespace pgfiredrill {

enum class OutputFormat { text, json };

/// Which cluster: an inventory or Patroni's address, never both.
struct ClusterSource {
  std::string inventory;
  std::string vault_password_file;
  std::string patroni_url;
  std::string ca_file;
};

struct InspectCommand {
  ClusterSource source;
  OutputFormat format = OutputFormat::text;
  bool verbose = false;
};

/// Help or the version: text for stdout, and success.
struct PrintCommand {
  std::string text;
};

/// The command line does not say anything sensible.
struct UsageError {
  std::string message;  ///< with a hint, for stderr
};

using Command = std::variant<InspectCommand, PrintCommand, UsageError>;

/// Never throws, never exits, prints nothing.
[[nodiscard]] Command parse_command_line(int argc, const char* const* argv);

}  // namespace pgfiredrill
