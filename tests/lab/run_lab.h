#pragma once

/// What the tests of whole runs share: the program as a child, quick suites, and the cluster's fingerprint,
/// which every test must leave as it found it.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/process.h"
#include "tests/lab/running_program.h"
#include "tests/support/environment_guard.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::testing {

/// Runs `undo` at the end of the scope, whatever the test's assertions say.
class OnExit {
 public:
  explicit OnExit(std::function<void()> undo) : undo_{std::move(undo)} {}
  ~OnExit() { undo_(); }
  OnExit(const OnExit&) = delete;
  OnExit& operator=(const OnExit&) = delete;

 private:
  std::function<void()> undo_;
};

inline constexpr const char* kLabCluster = "postgres-cluster";
/// One of those whose first random delays are a fraction of a second.
inline constexpr const char* kQuickSeed = "450";

class RunLab : public ::testing::Test {
 protected:
  void SetUp() override;
  /// Everything must be as before: leader, databases, roles, pause, records on the hosts, journal.
  void TearDown() override;

  /// A suite of one switchover, as short as may be.
  std::string quick_suite(int baseline_s = 3, int observe_s = 5);

  std::vector<std::string> run_command(const std::string& suite, const std::vector<std::string>& more = {});
  ProcessResult run(const std::string& suite, const std::vector<std::string>& more = {});
  std::unique_ptr<RunningProgram> start(const std::string& suite,
                                        RunningProgram::Output output = RunningProgram::Output::files);
  /// By the record's events; fails the test where the program ends first.
  void wait_for_stage(RunningProgram& program, const std::string& stage);
  void wait_until(RunningProgram& program, const std::string& what, const std::function<bool()>& condition);
  ProcessResult heal(const std::vector<std::string>& before = {});
  static ProcessResult program(const std::vector<std::string>& arguments);

  /// The newest run's folder; empty where there is none.
  [[nodiscard]] std::string run_folder() const;
  [[nodiscard]] std::string file_of_run(const std::string& name) const;
  /// The text at `path`, dots between keys and numbers, as in "drills.0.verdict"; "null" where it is null.
  [[nodiscard]] std::string reported(const std::string& path) const;

  /// A command line for the host's shell; fails the test where that fails.
  std::string on_host(const std::string& host, const std::string& command);
  [[nodiscard]] std::string leader() const;     ///< host that led when the test began
  [[nodiscard]] std::string a_replica() const;  ///< and one that did not
  /// Edits the file there until the end of the test's scope.
  [[nodiscard]] OnExit edited(const std::string& path, const std::string& sed);

  static constexpr const char* kHosts[] = {"pg1", "pg2", "pg3"};

  TemporaryDirectory directory_;

 private:
  [[nodiscard]] std::string fingerprint();
  /// The lab's own check, and every way in: poolers go on refusing for `server_login_retry`.
  [[nodiscard]] bool lab_is_healthy() const;

  EnvironmentGuard environment_;
  std::string inventory_;
  std::string before_;  ///< fingerprint
};

/// That code and that text on stderr, and no more than one sentence or two around it.
void expect_refusal(const ProcessResult& result, int exit_status, const std::string& text);

}  // namespace pgfiredrill::testing
