#include <algorithm>

#include <gmock/gmock.h>

#include "tests/suites/fake_run.h"

/// Faults that are armed, held and followed by others, through a whole run.

namespace pgfiredrill {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Failure kNo{.kind = FailureKind::failed, .what = "arm it", .where = "pg1", .came_back = "no timer"};

void keep_one_drill(FakeRun& run) {
  run.suite.drills.resize(1);
}

void hold(FakeRun& run, double seconds) {
  keep_one_drill(run);
  run.suite.drills[0].plan.fault.hold_s = seconds;
}

std::optional<nanoseconds> when(const FakeRun& run, const std::string& kind) {
  for (const Event& event : run.events()) {
    if (event.kind == kind) return event.at;
  }
  return std::nullopt;
}

std::vector<std::string> debts_of(const std::vector<fault::OpenRun>& runs) {
  std::vector<std::string> debts;
  for (const auto& run : runs) {
    for (const auto& debt : run.debts) debts.push_back(debt.kind + " " + debt.name);
  }
  return debts;
}

TEST(DrillLife, AFaultThatIsHeldIsUndoneWhenItsTimeIsUpAndThenObserved) {
  FakeRun run;
  hold(run, 40);
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  const auto confirmed = when(run, event::kFaultConfirmed);
  const auto reverted = when(run, event::kFaultReverted);
  ASSERT_TRUE(confirmed && reverted);
  const double held_s = std::chrono::duration<double>(*reverted - *confirmed).count();
  EXPECT_GE(held_s, 40);
  EXPECT_LT(held_s, 42);
  const auto at = [&](const std::string& stage) {
    return std::find(run.stages.begin(), run.stages.end(), stage) - run.stages.begin();
  };
  EXPECT_LT(at("hold"), at("revert"));
  EXPECT_LT(at("revert"), at("observe"));
  EXPECT_THAT(run.steps, Contains("still patroni-switchover"));
}

TEST(DrillLife, ABlowIsObservedBeforeAnythingIsDoneForTheCluster) {
  FakeRun run;
  keep_one_drill(run);
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  const auto observe = std::find(run.stages.begin(), run.stages.end(), "observe");
  const auto revert = std::find(run.stages.begin(), run.stages.end(), "revert");
  EXPECT_LT(observe, revert);
  EXPECT_THAT(run.stages, Not(Contains("hold")));
}

TEST(DrillLife, AFaultThatDidNotStayIsInconclusive) {
  FakeRun run;
  hold(run, 40);
  run.fault_stays = false;
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::inconclusive);
  EXPECT_THAT(outcome.messages, Contains(HasSubstr("did not stay in force until its revert: somebody")));
  EXPECT_THAT(run.steps, Contains("revert"));
  EXPECT_THAT(run.journal(), IsEmpty());
}

// Written down before it stands on any target: a program killed in between still has it in its journal.
TEST(DrillLife, IsOwedBeforeItIsArmedAndArmedBeforeItIsInjected) {
  FakeRun run;
  keep_one_drill(run);
  run.arming_shows = true;
  std::vector<std::string> owed;
  run.on_stage = [&](const std::string& stage) {
    if (stage == "wait a random time") owed = debts_of(run.journal());
  };
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  EXPECT_THAT(owed, Contains("fault patroni-switchover"));
  EXPECT_THAT(run.steps,
              ElementsAre("create on pgnode01", "traffic from stream 1", "arm on pgnode01",
                          "inject on pgnode01", "revert", "switchover to pgnode01", "drop on pgnode01"));
}

TEST(DrillLife, WhatCannotBeArmedIsNotInjectedAndWhatWasArmedIsDisarmed) {
  FakeRun run;
  run.arming_shows = true;
  run.arm_fails = kNo;
  EXPECT_EQ(run.run().exit, ExitClass::preflight_refused);
  EXPECT_THAT(run.steps, Contains("revert"));
  EXPECT_THAT(run.steps, Not(Contains("inject on pgnode01")));
  EXPECT_THAT(run.journal(), IsEmpty());
}

TEST(DrillLife, AnInterruptBetweenArmingAndInjectionDisarms) {
  FakeRun run;
  run.on_stage = [&](const std::string& stage) {
    if (stage == "wait a random time") run.interrupts = 1;
  };
  EXPECT_EQ(run.run().exit, ExitClass::aborted);
  EXPECT_THAT(run.steps, Contains("revert"));
  EXPECT_THAT(run.steps, Not(Contains("inject on pgnode01")));
  EXPECT_THAT(run.journal(), IsEmpty());
}

TEST(DrillLife, WhatCannotBeUndoneIsToldWithWhatToRunAndStaysOwed) {
  FakeRun run;
  hold(run, 5);
  run.revert_fails = kNo;
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::revert_incomplete);
  EXPECT_THAT(outcome.messages, Contains(HasSubstr("By hand: on pg1: undo it")));
  EXPECT_THAT(debts_of(run.journal()), Contains("fault patroni-switchover"));
}

TEST(DrillLife, AFurtherFaultHitsWhoLeadsByThen) {
  FakeRun run;
  keep_one_drill(run);
  run.arming_shows = true;
  run.suite.drills[0].plan.then = {{.kind = "patroni-switchover", .target = "leader", .after_s = 3}};
  int hits = 0;
  run.effect = [&] { run.lead(++hits == 1 ? "pgnode02" : "pgnode03"); };
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  EXPECT_THAT(run.steps, ElementsAre("create on pgnode01", "traffic from stream 1", "arm on pgnode01",
                                     "inject on pgnode01", "arm on pgnode02", "inject on pgnode02", "revert",
                                     "revert", "switchover to pgnode01", "drop on pgnode01"));
  const auto first = when(run, event::kFaultConfirmed);
  const auto second = when(run, event::kFurtherFaultSent);
  ASSERT_TRUE(first && second);
  EXPECT_GE(*second - *first, std::chrono::seconds{3});
  EXPECT_TRUE(when(run, event::kFurtherFaultConfirmed));
  EXPECT_THAT(run.journal(), IsEmpty());
}

TEST(DrillLife, AFurtherFaultWaitsForAVictimAndGivesUp) {
  FakeRun run;
  keep_one_drill(run);
  run.suite.drills[0].plan.then = {{.kind = "patroni-switchover", .target = "leader"}};
  run.effect = [&] {
    for (PatroniMember& member : run.now.members) member.role = "replica";
  };
  run.on_stage = [&](const std::string& stage) {
    if (stage == "revert") run.lead("pgnode02");
  };
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::inconclusive);
  EXPECT_THAT(outcome.messages, Contains(HasSubstr("was not injected")));
}

TEST(DrillLife, EveryFaultOfARunHasANameOfItsOwnOnTheTargets) {
  FakeRun run;
  run.suite.drills[0].plan.then = {{.kind = "patroni-switchover", .target = "leader"}};
  run.suite.drills[1].plan.repeats = 2;
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  auto ids = run.fault_ids;
  EXPECT_EQ(ids.size(), 4u);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  for (const std::string& id : ids) EXPECT_THAT(id, ::testing::StartsWith("20260301T120000Z-test."));
}

}  // namespace
}  // namespace pgfiredrill
