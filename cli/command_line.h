#pragma once

/// What the user typed, as plain data. The only place that knows CLI11 is command_line.cc.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "calibration/outage_kind.h"
#include "suites/guard.h"

namespace pgfiredrill {

enum class OutputFormat { text, json };

/// Which cluster: an inventory or Patroni's address, never both.
struct ClusterSource {
  std::string inventory;
  std::string vault_password_file;
  std::string patroni_url;
  std::string ca_file;

  [[nodiscard]] bool names_a_cluster() const { return !inventory.empty() || !patroni_url.empty(); }
};

struct InspectCommand {
  ClusterSource source;
  OutputFormat format = OutputFormat::text;
  bool verbose = false;
};

struct RunCommand {
  ClusterSource source;
  std::string suite;    ///< name of a built-in suite, or a YAML file
  std::string confirm;  ///< must be the cluster's name
  std::string filter;   ///< shell pattern of drills' names; empty: all
  std::optional<int> repeat;
  std::optional<std::uint64_t> seed;
  std::string output = "runs";  ///< folder in which the run's own folder is made
  bool keep_leader = false;
  bool with_sudo = false;  ///< lay the helper on the hosts for this run, where it is not installed
  std::string power;       ///< the user's command for hosts' power, with {action} and {host}; empty: none
  std::vector<std::string> overrides;  ///< names of obstacles that preflight lets pass; all are known
  bool accept_data_loss = false;
  std::vector<GuardLimit> guard;
  std::string resume;  ///< folder of the run to go on with; empty: none
  bool dry_run = false;
  bool verbose = false;
  std::vector<std::string> argv;  ///< as typed, for the report
};

enum class ListTopic { suites, drills, faults };

struct ListCommand {
  ListTopic topic = ListTopic::suites;
};

enum class ReportFormat { text, json, junit, markdown, hgrm };

struct ReportCommand {
  std::string run_folder;
  ReportFormat format = ReportFormat::text;
};

struct HealCommand {
  ClusterSource source;
  std::string power;
  bool verbose = false;
};

struct CalibrateCommand {
  int outages = 20;  ///< of each kind
  std::optional<std::uint64_t> seed;
  std::optional<OutageKind> kind;  ///< absent: all
  OutputFormat format = OutputFormat::text;
};

/// Help or the version: text for stdout, and success.
struct PrintCommand {
  std::string text;
};

/// The command line does not say anything sensible.
struct UsageError {
  std::string message;  ///< with a hint, for stderr
};

using Command = std::variant<InspectCommand, RunCommand, ListCommand, ReportCommand, HealCommand,
                             CalibrateCommand, PrintCommand, UsageError>;

/// Never throws, never exits, prints nothing.
[[nodiscard]] Command parse_command_line(int argc, const char* const* argv);

}  // namespace pgfiredrill
