#pragma once

/// Running a program of this machine to its end, as a seam.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

struct ProcessRequest {
  /// Program (looked up in PATH unless it has a slash) and arguments; never goes through a shell. No secret
  /// belongs here: every user of the machine sees command lines.
  std::vector<std::string> argv;
  std::string input;                               ///< what the program reads on stdin
  std::map<std::string, std::string> environment;  ///< added to ours
  std::chrono::milliseconds deadline{10'000};  ///< then the program and its whole process group are killed
  std::size_t output_limit = 16u << 20;  ///< bytes kept of each stream; a program that prints more is killed
};

struct ProcessResult {
  int exit_status = 0;      ///< 128 + signal number where a signal ended it, as shells say it
  std::string out;          ///< stdout
  std::string err;          ///< stderr
  bool timed_out = false;   ///< it was killed at its deadline; `out` and `err` hold what came until then
  bool output_cut = false;  ///< it was killed because it printed more than `output_limit`
};

/// Thread-safe: `run` may be called from several threads at once.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  /// Runs to the end and blocks the calling thread (worker threads and main only). Fails (`missing`,
  /// `denied`) only where the program could not be started; a program that fails is a result. The child
  /// inherits stdin, stdout and stderr pipes and no other descriptor.
  [[nodiscard]] virtual Result<ProcessResult> run(const ProcessRequest& request) = 0;
};

/// The real thing. SIGPIPE is ignored in the whole process from the first one on.
class SystemProcessRunner final : public ProcessRunner {
 public:
  SystemProcessRunner();

  [[nodiscard]] Result<ProcessResult> run(const ProcessRequest& request) override;
};

}  // namespace pgfiredrill
