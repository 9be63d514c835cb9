/// The program killed in the middle of a run: what it wrote is judged, nobody drills on before all is undone,
/// and healing undoes it, from this machine or another.

#include <csignal>
#include <filesystem>

#include "tests/lab/run_lab.h"

namespace pgfiredrill::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RunKilledLab : public RunLab {
 protected:
  void kill_in(const std::string& stage) {
    const auto child = start(quick_suite());
    wait_for_stage(*child, stage);
    child->signal(SIGKILL);
    ASSERT_EQ(child->wait(10s), 128 + SIGKILL) << child->out() << child->err();
    killed_ = run_folder();
  }

  /// As far as it goes.
  void expect_judged(const std::string& stage) {
    const auto judged = program({"report", killed_});
    EXPECT_EQ(judged.exit_status, 6) << judged.out << judged.err;
    EXPECT_THAT(judged.out, HasSubstr("the program was killed while in stage " + stage));
    EXPECT_EQ(reported("verdict"), "inconclusive");
  }

  void expect_no_run_before_healing() {
    expect_refusal(run(quick_suite(), {"--output", directory_ / "next"}), 3, "pgfiredrill heal");
  }

  void expect_healed(const std::vector<std::string>& as_from = {}) {
    const auto healed = heal(as_from);
    EXPECT_EQ(healed.exit_status, 0) << healed.out << healed.err;
    const auto again = heal(as_from);
    EXPECT_EQ(again.exit_status, 0) << again.out << again.err;
    EXPECT_EQ(again.out, "There is nothing to undo.\n");
  }

  std::string killed_;  ///< its folder
};

TEST_F(RunKilledLab, IsHealedInTheBaseline) {
  ASSERT_NO_FATAL_FAILURE(kill_in("baseline"));
  expect_judged("baseline");
  EXPECT_EQ(reported("drills.0.repeats.0.injected_at"), "null");
  expect_no_run_before_healing();
  expect_healed();
}

TEST_F(RunKilledLab, IsHealedInTheMiddleOfTheFault) {
  ASSERT_NO_FATAL_FAILURE(kill_in("inject"));
  expect_judged("inject");
  expect_no_run_before_healing();
  expect_healed();
}

TEST_F(RunKilledLab, IsHealedWhileObserving) {
  ASSERT_NO_FATAL_FAILURE(kill_in("observe"));
  expect_judged("observe");
  EXPECT_THAT(reported("drills.0.repeats.0.injected_at"), HasSubstr("T"));
  expect_no_run_before_healing();
  expect_healed();
}

TEST_F(RunKilledLab, IsHealedWhileReadingBack) {
  ASSERT_NO_FATAL_FAILURE(kill_in("readback"));
  expect_judged("readback");
  EXPECT_THAT(reported("drills.0.repeats.0.durability.acknowledged"), ::testing::MatchesRegex("[0-9]+"));
  expect_no_run_before_healing();
  expect_healed();
}

// Another machine has no journal of the run and cannot see that its process is gone: it waits until the lock
// has expired, and undoes what the hosts tell.
TEST_F(RunKilledLab, IsHealedFromAnotherMachine) {
  ASSERT_NO_FATAL_FAILURE(kill_in("observe"));
  std::filesystem::rename(directory_ / "state", directory_ / "state-of-the-first");
  expect_healed({"/usr/bin/unshare", "--uts", "/bin/sh", "-c", "hostname elsewhere && exec \"$0\" \"$@\""});
  // Back on the first one, whose journal still has the run open.
  std::filesystem::remove_all(directory_ / "state");
  std::filesystem::rename(directory_ / "state-of-the-first", directory_ / "state");
  expect_healed();
}

}  // namespace
}  // namespace pgfiredrill::testing
