#pragma once

/// What the program does while it does it, for a person who asked (`--verbose`). Results never go through
/// here.

#include <memory>
#include <string>

namespace pgfiredrill {

enum class LogLevel { debug, info, warning, error };

/// Thread-safe.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, const std::string& message) = 0;

  void debug(const std::string& message) { write(LogLevel::debug, message); }
  void info(const std::string& message) { write(LogLevel::info, message); }
  void warning(const std::string& message) { write(LogLevel::warning, message); }
};

/// Lines with UTC time on stderr, from `least` on.
[[nodiscard]] std::unique_ptr<Log> make_stderr_log(LogLevel least);

}  // namespace pgfiredrill
