#pragma once

/// A program that a test starts, watches, interrupts or kills while it runs.

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "tests/support/temporary_directory.h"

namespace pgfiredrill::testing {

class RunningProgram {
 public:
  enum class Output {
    files,     ///< stdout and stderr apart, as in a script
    terminal,  ///< both and stdin on a terminal that can be closed
  };

  explicit RunningProgram(const std::vector<std::string>& argv, Output output = Output::files);
  /// Kills it where it still runs.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  void signal(int number) const;
  /// As when its window is closed: whatever reads or writes there fails, and the session is hung up.
  void close_terminal();
  [[nodiscard]] bool running();
  /// The exit status, 128 + its number where a signal ended the program. Where the deadline passes first the
  /// program is killed.
  int wait(std::chrono::seconds deadline);

  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;

 private:
  void start(const std::vector<std::string>& argv, const std::string& terminal);
  void open_terminal();

  TemporaryDirectory directory_;
  std::string terminal_;  ///< its device
  int master_ = -1;
  pid_t pid_ = -1;
  int status_ = -1;      ///< from `waitpid`, once it has ended
  std::jthread reader_;  ///< of the terminal: what nobody reads stops the program that writes it
};

}  // namespace pgfiredrill::testing
