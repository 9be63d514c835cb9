// What keeps a run from doing more harm than it was asked to: refusals and their overrides, others' writes,
// the guard, what is skipped.

#include <algorithm>

#include <gmock/gmock.h>

#include "measure/judge.h"
#include "tests/suites/fake_run.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::all;
using ::testing::AllOf;
using ::testing::Contains;
using testing::FakeRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RunResult judged(const FakeRun& run) {
  const auto reader = RunReader::open(run.run_folder());
  return judge_run(run_input(*reader));
}

TEST(RunSafety, WhatIsOverriddenPassesAndIsTold) {
  FakeRun run;
  run.facts.unlogged = {{"shop", 2}};
  run.overrides = {"unlogged-tables"};
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  const auto findings = judged(run).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "preflight.unlogged-tables");
  EXPECT_THAT(findings[0].sentence, HasSubstr("shop"));
}

TEST(RunSafety, AnotherOverrideDoesNotHelp) {
  FakeRun run;
  run.facts.unlogged = {{"shop", 2}};
  run.overrides = {"running-ddl"};
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(all(outcome), HasSubstr("--override unlogged-tables"));
  EXPECT_THAT(run.steps, IsEmpty());
}

TEST(RunSafety, ARunLeavesItsStampAndTheNextOneAsks) {
  FakeRun run;
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  EXPECT_EQ(run.stamps(), 3);
  FakeRun next;
  next.stamp_by("20260301T110000Z-other", 3'600);
  const RunOutcome outcome = next.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(all(outcome), AllOf(HasSubstr("20260301T110000Z-other"), HasSubstr("--override recent-run")));
}

// What broke nothing is no reason for anybody to wait.
TEST(RunSafety, ARefusedRunLeavesNoStamp) {
  FakeRun run;
  run.paths_answer = false;
  EXPECT_EQ(run.run().exit, ExitClass::preflight_refused);
  EXPECT_EQ(run.stamps(), 0);
}

FakeRun& with_failover(FakeRun& run) {
  for (DrillSpec& drill : run.suite.drills) drill.plan.fault.kind = "patroni-failover";
  return run;
}

TEST(RunSafety, OthersWritesAreNotRiskedUnasked) {
  FakeRun run;
  with_failover(run).written_between = 500;
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(all(outcome), AllOf(HasSubstr("50.0 rows a second"), HasSubstr("first, second"),
                                  HasSubstr("--accept-data-loss")));
  EXPECT_THAT(run.steps, IsEmpty());
}

TEST(RunSafety, OthersWritesAreRiskedWhereThatIsAcceptedOrCannotBe) {
  FakeRun accepted;
  with_failover(accepted).written_between = 500;
  accepted.accept_data_loss = true;
  EXPECT_EQ(accepted.run().exit, ExitClass::passed);
  EXPECT_EQ(judged(accepted).findings.at(0).id, "preflight.accept-data-loss");
  FakeRun synchronous;
  with_failover(synchronous).written_between = 500;
  synchronous.cluster.settings.synchronous_mode = {"quorum", "test"};
  EXPECT_EQ(synchronous.run().exit, ExitClass::passed);
  FakeRun planned;
  planned.written_between = 500;
  EXPECT_EQ(planned.run().exit, ExitClass::passed) << "a switchover loses nothing";
  FakeRun quiet;
  EXPECT_EQ(with_failover(quiet).run().exit, ExitClass::passed);
}

TEST(RunSafety, WhereOthersWritesCannotBeCountedTheyMayBeThere) {
  FakeRun run;
  with_failover(run).written = Failure{.what = "count rows", .where = "pg1", .came_back = "no"};
  EXPECT_EQ(run.run().exit, ExitClass::preflight_refused);
}

/// From the injection on nothing answers, for good.
void break_for_good(FakeRun& run) {
  run.effect = [&run] { run.paths_answer = false; };
}

TEST(RunSafety, TheGuardStopsADrillIntoItsReverts) {
  FakeRun run;
  break_for_good(run);
  run.guard = {{"outage_s", 2}};
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::aborted) << all(outcome);
  EXPECT_THAT(all(outcome), AllOf(HasSubstr("guard"), HasSubstr("outage_s of")));
  EXPECT_THAT(run.steps, Contains("revert"));
  EXPECT_FALSE(run.database_is_there);
  EXPECT_THAT(run.host_files(), IsEmpty());
  EXPECT_EQ(std::count_if(run.steps.begin(), run.steps.end(),
                          [](const std::string& step) { return step.starts_with("inject"); }),
            1)
      << "no further drill";
}

TEST(RunSafety, WithinItsLimitTheGuardSaysNothing) {
  FakeRun run;
  run.guard = {{"outage_s", 2}, {"error_s", 2}};
  EXPECT_EQ(run.run().exit, ExitClass::passed);
}

// One person's Ctrl-C after the guard still waits for what one Ctrl-C alone would: two would not.
TEST(RunSafety, TheGuardCountsAsOneInterrupt) {
  FakeRun run;
  break_for_good(run);
  run.guard = {{"outage_s", 2}};
  EXPECT_EQ(run.run().exit, ExitClass::aborted);
  EXPECT_EQ(run.leader(), "pgnode01");
  EXPECT_FALSE(run.left);
}

TEST(RunSafety, ADrillWithoutAVictimIsSkippedAndTheNextFollows) {
  FakeRun run;
  run.suite.drills[0].plan.fault.target = "vip";
  run.aim_fails["vip"] =
      Failure{.kind = FailureKind::missing, .what = "aim", .came_back = "there is no virtual address"};
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  const RunResult result = judged(run);
  EXPECT_EQ(result.drills[0].verdict, Verdict::skipped);
  EXPECT_THAT(result.drills[0].reasons.at(0), HasSubstr("no virtual address"));
  EXPECT_THAT(run.steps, Contains("inject on pgnode01"));
}

TEST(RunSafety, ASuiteThatNeedsEveryDrillIsInconclusiveWithoutOne) {
  FakeRun run;
  run.suite.needs_every_drill = true;
  run.suite.drills[0].plan.fault.target = "vip";
  run.aim_fails["vip"] = Failure{.kind = FailureKind::missing, .what = "aim", .came_back = "none"};
  (void)run.run();
  EXPECT_EQ(judged(run).verdict, Verdict::inconclusive);
}

TEST(RunSafety, AFailureToAimThatIsNoLackOfAVictimEndsTheRun) {
  FakeRun run;
  run.suite.drills[0].plan.fault.target = "vip";
  run.aim_fails["vip"] = Failure{.kind = FailureKind::timed_out, .what = "aim", .came_back = "silence"};
  EXPECT_EQ(run.run().exit, ExitClass::preflight_refused);
  EXPECT_THAT(run.steps, Not(Contains(HasSubstr("inject"))));
}

TEST(RunSafety, WhatAnEarlierRunHasMeasuredIsNotRunAgainAndCounts) {
  for (const Verdict before : {Verdict::passed, Verdict::failed}) {
    FakeRun run;
    DrillPlan measured = run.suite.drills[0].plan;
    measured.measured = {"run-1", before};
    run.continues = {.run_id = "run-1", .measured = {measured}};
    run.stamp_by("run-1", 60);
    run.suite.needs_every_drill = true;
    EXPECT_EQ(run.run().exit, ExitClass::passed) << "nor is the run that is continued a recent one";
    const RunResult result = judged(run);
    EXPECT_EQ(result.manifest.continues, "run-1");
    EXPECT_EQ(result.drills[0].verdict, Verdict::skipped);
    EXPECT_THAT(result.drills[0].reasons.at(0), HasSubstr("measured in run-1"));
    EXPECT_TRUE(result.drills[0].repeats.empty());
    EXPECT_EQ(result.drills[1].repeats.size(), 1u);
    EXPECT_EQ(std::count_if(result.reasons.begin(), result.reasons.end(),
                            [](const std::string& reason) { return reason.starts_with("first"); }),
              before == Verdict::failed ? 1 : 0);
  }
}

TEST(RunSafety, ADryRunNamesWhatWouldLetItPass) {
  FakeRun run;
  run.facts.prepared = {"xa-1 in shop"};
  EXPECT_THAT(run.describe(), Contains(HasSubstr("--override prepared-transactions")));
  run.overrides = {"prepared-transactions"};
  EXPECT_THAT(run.describe(), Contains(HasSubstr("prepared-transactions: ")));
  EXPECT_EQ(run.stamps(), 0);
}

}  // namespace
}  // namespace pgfiredrill
