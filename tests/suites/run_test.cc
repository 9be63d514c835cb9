#include "suites/run.h"

#include <algorithm>
#include <stdexcept>

#include <gmock/gmock.h>

#include "base/error.h"
#include "tests/suites/fake_run.h"

namespace pgfiredrill {
namespace {

using testing::all;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Nothing of ours is left anywhere.
void expect_clean(const FakeRun& run) {
  EXPECT_FALSE(run.database_is_there);
  EXPECT_THAT(run.journal(), IsEmpty());
  EXPECT_THAT(run.host_files(), IsEmpty());
}

int count(const std::vector<Event>& events, const std::string& kind) {
  return static_cast<int>(
      std::count_if(events.begin(), events.end(), [&](const Event& event) { return event.kind == kind; }));
}

std::string repeat_outcome(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.kind == event::kRepeatEnded) return event.text("outcome").value_or("");
  }
  return "none";
}

TEST(Run, GoesThroughEveryDrillAndLeavesTheClusterAsItWas) {
  FakeRun run;
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::passed) << all(outcome);
  // The second drill hits whoever leads by then, and leads to pgnode02 again: hence one way back.
  EXPECT_THAT(run.steps, ElementsAre("create on pgnode01", "traffic from stream 1", "inject on pgnode01",
                                     "revert", "traffic from stream 5", "inject on pgnode02", "revert",
                                     "switchover to pgnode01", "drop on pgnode01"));
  EXPECT_EQ(run.leader(), "pgnode01");
  expect_clean(run);
}

// They stand before the fault and are closed before the fence ends what is left.
TEST(Run, HoldsSessionsAsApplicationsDoAcrossEachFault) {
  FakeRun run;
  std::vector<std::string> at_inject;
  run.on_stage = [&](const std::string& stage) {
    if (stage == "inject" && at_inject.empty()) at_inject = run.client_steps;
    if (stage == "fence") {
      EXPECT_EQ(run.client_steps.back(), "finish");
    }
  };
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  EXPECT_THAT(at_inject, ElementsAre("15 clients", "open for 0.0"));
  EXPECT_THAT(run.client_steps, ElementsAre("15 clients", "open for 0.0", "fault", "finish", "open for 1.0",
                                            "fault", "finish", "closed"));
}

TEST(Run, ClosesTheSessionsOfApplicationsWhereItIsStopped) {
  FakeRun run;
  run.on_stage = [&](const std::string& stage) {
    if (stage == "observe") run.interrupts = 1;
  };
  (void)run.run();
  EXPECT_THAT(run.client_steps, ElementsAre("15 clients", "open for 0.0", "fault", "finish", "closed"));
}

// Its sessions are in the traffic's database: there once that is made, gone before it is dropped.
TEST(Run, WatchesTheServersWhileItsDatabaseIsThere) {
  FakeRun run;
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  EXPECT_THAT(run.done_while_observed, ElementsAre("fence", "fence"));
}

TEST(Run, RecordsWhatHappened) {
  FakeRun run;
  (void)run.run();
  const auto events = run.events();
  EXPECT_EQ(count(events, event::kRepeatStarted), 2);
  EXPECT_EQ(count(events, event::kFaultSent), 2);
  EXPECT_EQ(count(events, event::kFaultConfirmed), 2);
  EXPECT_EQ(count(events, event::kFence), 2);
  EXPECT_EQ(count(events, event::kReadback), 6);
  EXPECT_GE(count(events, event::kTopology), 2);
  EXPECT_EQ(events.back().kind, event::kRunEnded);
  EXPECT_EQ(events.back().text("outcome"), "passed");
}

/// The rates that are driven are the rates that are judged.
TEST(Run, PlansFewerFreshSessionsWherePoolersPayDearly) {
  const auto fresh_hz = [](const Result<double>& cost) {
    FakeRun run;
    run.login_cost = cost;
    EXPECT_EQ(run.run().exit, ExitClass::passed);
    const auto reader = RunReader::open(run.run_folder());
    EXPECT_TRUE(reader);
    double sum = 0;
    for (const TrafficPath& path : reader->manifest().paths) {
      if (path.session == SessionKind::fresh) sum += path.rate_hz;
    }
    return sum;
  };
  const double usual = fresh_hz(0.0);
  EXPECT_NEAR(fresh_hz(0.15 / (usual / 2)), usual / 2, 0.5);
  EXPECT_NEAR(fresh_hz(Failure{.what = "look", .where = "pg1", .came_back = "denied"}), usual, 0.5);
}

TEST(Run, TheRandomTimeBeforeAFaultComesFromTheSeed) {
  const auto delays = [](FakeRun& run) {
    (void)run.run();
    std::vector<double> found;
    for (const Event& event : run.events()) {
      if (event.kind == event::kFaultSent) found.push_back(event.number("delay_s").value_or(-1));
    }
    return found;
  };
  FakeRun first;
  FakeRun second;
  const auto once = delays(first);
  ASSERT_EQ(once.size(), 2u);
  EXPECT_THAT(once, Each(AllOf(::testing::Ge(0.0), ::testing::Le(10.0))));
  EXPECT_NE(once[0], once[1]);
  EXPECT_EQ(delays(second), once);
}

TEST(Run, ObservesUntilWellAfterTheLastChangeOfRoles) {
  FakeRun run;
  run.suite.drills.resize(1);
  run.effect = [&] { run.lead("pgnode02"); };
  run.on_stage = [&](const std::string& stage) {
    if (stage == "revert" && run.leader() == "pgnode02") run.steps.emplace_back("observed");
  };
  (void)run.run();
  const auto events = run.events();
  nanoseconds changed{0};
  nanoseconds reverted{0};
  for (const Event& event : events) {
    if (event.kind == event::kTopology && reverted == nanoseconds{0}) changed = event.at;
    if (event.kind == event::kFaultReverted && reverted == nanoseconds{0}) reverted = event.at;
  }
  EXPECT_GE(reverted - changed, std::chrono::seconds{10});
}

TEST(Run, KeepsTheNewLeaderWhereAsked) {
  FakeRun run;
  run.keep_leader = true;
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  EXPECT_EQ(run.leader(), "pgnode02");
  expect_clean(run);
}

struct Refusal {
  const char* name;
  void (*arrange)(FakeRun&);
  const char* says;
};

class RunRefused : public ::testing::TestWithParam<Refusal> {};

/// Preflight refuses, says why, and has touched nothing.
TEST_P(RunRefused, TouchesNothing) {
  FakeRun run;
  GetParam().arrange(run);
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(all(outcome), HasSubstr(GetParam().says));
  EXPECT_THAT(run.steps, IsEmpty());
  expect_clean(run);
  EXPECT_EQ(run.events().back().text("outcome"), "refused");
}

INSTANTIATE_TEST_SUITE_P(
    Preflight, RunRefused,
    ::testing::Values(
        Refusal{"Paused", [](FakeRun& run) { run.now.paused = true; }, "paused"},
        Refusal{"SwitchoverScheduled", [](FakeRun& run) { run.now.switchover_scheduled = true; },
                "scheduled"},
        Refusal{"NoLeader", [](FakeRun& run) { run.now.members[0].role = "replica"; }, "Nobody leads"},
        Refusal{"ReplicaStopped", [](FakeRun& run) { run.now.members[2].state = "stopped"; }, "pgnode03"},
        Refusal{"MemberGone", [](FakeRun& run) { run.now.members.pop_back(); }, "pgnode03"},
        Refusal{"BalancerDisagrees",
                [](FakeRun& run) { run.now.balancers["pg2"][EntryPointRole::primary] = {"pgnode03"}; },
                "pg2"},
        Refusal{"WrongRestPassword", [](FakeRun& run) { run.rest_denies = true; }, "credentials"},
        Refusal{"DatabaseThere", [](FakeRun& run) { run.foreign = "database pgfiredrill"; },
                "database pgfiredrill"},
        Refusal{"PendingRestart", [](FakeRun& run) { run.cluster.members[1].pending_restart = true; },
                "restart"},
        Refusal{"ConsensusMemberDown", [](FakeRun& run) { run.cluster.consensus[1].healthy = false; }, "pg2"},
        Refusal{"SomethingNotReached",
                [](FakeRun& run) {
                  run.cluster.not_reached.push_back(
                      {"pg3", "ssh", {.what = "log in", .where = "pg3", .came_back = "refused"}});
                },
                "pg3, ssh"}),
    [](const auto& refusal) { return std::string{refusal.param.name}; });

TEST(Run, RefusesWhileAnotherRunHoldsTheLockAndLeavesItAlone) {
  FakeRun run;
  run.lock_by("20260301T110000Z-other");
  run.foreign = "database pgfiredrill";
  const auto before = run.host_files();
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(all(outcome), HasSubstr("20260301T110000Z-other"));
  EXPECT_THAT(all(outcome), HasSubstr("pgfiredrill heal")) << "for the case that it was killed";
  EXPECT_THAT(all(outcome), Not(HasSubstr("rename yours"))) << "the database is that run's";
  EXPECT_THAT(run.steps, IsEmpty());
  EXPECT_EQ(run.host_files(), before);
  EXPECT_THAT(run.journal(), IsEmpty());
}

/// Sites open balancers and poolers to clients, and PostgreSQL's own port to nobody: it is asked through SSH.
TEST(Run, AWallBeforePostgresItselfIsNoObstacle) {
  for (const auto& [kind, exit] : {std::pair{FailureKind::timed_out, ExitClass::passed},
                                   std::pair{FailureKind::denied, ExitClass::preflight_refused}}) {
    FakeRun run;
    EntryPoint server;
    server.kind = EntryPointKind::server;
    server.host = "pg1";
    server.address = {"192.168.7.1", 5432};
    run.cluster.entry_points.push_back(server);
    run.cluster.not_reached.push_back(
        {"pg1", "entry point 192.168.7.1:5432", {.kind = kind, .what = "log in", .came_back = "no"}});
    EXPECT_EQ(run.run().exit, exit);
  }
}

TEST(Run, TellsOneCauseOnceAndWhoIsDownFirst) {
  FakeRun run;
  const Failure denied{.kind = FailureKind::denied,
                       .what = "log in",
                       .came_back = "password authentication failed",
                       .hint = "Give the right one."};
  for (const char* port : {"5000", "5001", "5432", "6432"}) {
    run.cluster.not_reached.push_back({"pg1", std::string{"entry point pg1:"} + port, denied});
  }
  run.now.members[2].state = "stopped";
  run.now.troubles.emplace_back("PostgreSQL of pgnode03 does not answer.");
  const RunOutcome outcome = run.run();
  ASSERT_FALSE(outcome.messages.empty());
  EXPECT_EQ(outcome.messages.front(), "pgnode03 is stopped.");
  EXPECT_EQ(outcome.messages.back(),
            "pg1, entry point pg1:5000: cannot log in: password authentication failed. Give the right one. "
            "Likewise pg1, entry point pg1:5001; pg1, entry point pg1:5432; and 1 more, see `pgfiredrill "
            "inspect`.");
}

TEST(Run, RefusesWhereAPathThatIsNeededDoesNotAnswer) {
  FakeRun run;
  run.login_troubles["pg1:5000/read_write/pooled"] = "53300 too many connections";
  run.login_troubles["pg2:5000/read_write/pooled"] = "53300 too many connections";
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(all(outcome), HasSubstr("No answer on pg1:5000/read_write/pooled, pg2:5000/read_write/pooled: "
                                      "53300 too many connections."));
  EXPECT_THAT(run.steps, Not(Contains(HasSubstr("inject"))));
  expect_clean(run);
}

TEST(Run, RefusesWhereTheBaselineHasErrors) {
  FakeRun run;
  run.paths_answer = false;
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(run.steps, Not(Contains(HasSubstr("inject"))));
  expect_clean(run);
}

TEST(Run, RefusesWhereANodeIsLostBeforeTheFault) {
  FakeRun run;
  run.on_stage = [&](const std::string& stage) {
    if (stage == "baseline") run.now.members[2].state = "stopped";
  };
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(all(outcome), HasSubstr("pgnode03"));
  EXPECT_THAT(run.steps, Not(Contains(HasSubstr("inject"))));
  EXPECT_EQ(repeat_outcome(run.events()), "refused");
  expect_clean(run);
}

TEST(Run, RemovesWhatItMadeWhereTheDatabaseCannotBeMade) {
  FakeRun run;
  run.create_fails = Failure{.what = "create the role", .where = "pgnode01", .came_back = "no"};
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::preflight_refused);
  EXPECT_THAT(run.steps, ElementsAre("create on pgnode01", "drop on pgnode01"));
  expect_clean(run);
}

TEST(Run, AFaultThatDidNotTakeIsInconclusiveAndTheNextDrillFollows) {
  FakeRun run;
  run.fault_takes = false;
  run.effect = nullptr;
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::inconclusive) << all(outcome);
  EXPECT_EQ(count(run.events(), event::kFaultNotTaken), 2);
  EXPECT_EQ(repeat_outcome(run.events()), "not_taken");
  expect_clean(run);
}

TEST(Run, AnInjectionThatFailedOutrightIsNotVerified) {
  FakeRun run;
  run.suite.drills.resize(1);
  run.effect = nullptr;
  run.inject_fails = Failure{.what = "switch over", .where = "pgnode01", .came_back = "412"};
  EXPECT_EQ(run.run().exit, ExitClass::inconclusive);
  EXPECT_THAT(run.stages, Not(Contains("verify")));
  expect_clean(run);
}

TEST(Run, AClusterThatDoesNotComeBackEndsTheRunAndStaysOwed) {
  FakeRun run;
  run.effect = [&] {
    run.lead("pgnode02");
    run.now.members[0].state = "start failed";
  };
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::revert_incomplete);
  EXPECT_THAT(all(outcome), AllOf(HasSubstr("pgnode01"), HasSubstr("heal")));
  EXPECT_EQ(count(run.events(), event::kRepeatStarted), 1) << "no further drill on a cluster that is hurt";
  EXPECT_THAT(run.steps, Not(Contains(HasSubstr("switchover to"))));
  ASSERT_EQ(run.journal().size(), 1u);
  EXPECT_FALSE(run.journal()[0].debts.empty());
  EXPECT_FALSE(run.host_files().empty()) << "so that another machine can heal it";
}

TEST(Run, ADatabaseThatCannotBeDroppedStaysOwed) {
  FakeRun run;
  run.drop_fails = Failure{.what = "drop the database", .where = "pgnode01", .came_back = "no"};
  EXPECT_EQ(run.run().exit, ExitClass::revert_incomplete);
  ASSERT_EQ(run.journal().size(), 1u);
  EXPECT_THAT(run.journal()[0].debts, Contains(fault::Debt{"database", "pgfiredrill", ""}));
}

class RunStopped : public ::testing::TestWithParam<const char*> {};

/// Ctrl-C in any stage: stopped, reverted, reported, and nothing is left.
TEST_P(RunStopped, LeavesNothingBehind) {
  FakeRun run;
  bool reached = false;
  run.on_stage = [&](const std::string& stage) {
    if (stage != GetParam() || reached) return;
    reached = true;
    run.interrupts = 1;
  };
  const RunOutcome outcome = run.run();
  ASSERT_TRUE(reached) << "stages: " << ::testing::PrintToString(run.stages);
  EXPECT_EQ(outcome.exit, ExitClass::aborted) << all(outcome);
  EXPECT_EQ(run.leader(), "pgnode01");
  EXPECT_EQ(run.events().back().text("outcome"), "aborted");
  expect_clean(run);
}

INSTANTIATE_TEST_SUITE_P(Stages, RunStopped,
                         ::testing::Values("preflight", "set up", "log in", "baseline", "arm",
                                           "wait a random time", "inject", "verify", "observe", "revert",
                                           "health", "fence", "readback"),
                         [](const auto& stage) {
                           std::string name{stage.param};
                           std::erase(name, ' ');
                           return name;
                         });

TEST(Run, ASecondInterruptDoesNotWaitForHealthAndSaysSo) {
  FakeRun run;
  run.effect = [&] {
    run.lead("pgnode02");
    run.now.members[0].state = "starting";
  };
  run.on_stage = [&](const std::string& stage) {
    if (stage == "observe") run.interrupts = 1;
    if (stage == "revert" && run.interrupts == 1) run.interrupts = 2;
  };
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::revert_incomplete);
  EXPECT_THAT(all(outcome), HasSubstr("on request"));
  EXPECT_FALSE(run.database_is_there) << "what can be undone at once is";
  EXPECT_EQ(run.journal().size(), 1u);
}

/// A defect of the program must not leave a cluster as it is in the middle of a drill.
TEST(Run, CleansUpAfterAnErrorOfItsOwn) {
  FakeRun run;
  run.on_stage = [&](const std::string& stage) {
    if (stage == "observe") throw std::logic_error{"a defect"};
  };
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitClass::internal_error);
  EXPECT_THAT(all(outcome), HasSubstr("a defect"));
  EXPECT_EQ(run.leader(), "pgnode01");
  EXPECT_EQ(repeat_outcome(run.events()), "aborted");
  expect_clean(run);
}

TEST(Run, CannotBeginInAFolderThatIsThere) {
  FakeRun run;
  (void)run.run();
  EXPECT_THROW((void)run.run(), Error);
}

TEST(Run, DescribesEverythingAndTouchesNothing) {
  FakeRun run;
  const auto lines = run.describe();
  EXPECT_THAT(lines, Contains(HasSubstr("hit pgnode01")));
  EXPECT_THAT(lines, Contains(HasSubstr("CREATE")));
  EXPECT_THAT(lines, Contains(HasSubstr(fault::kHostFolder)));
  EXPECT_THAT(lines, Contains(HasSubstr("heartbeat pg1:5000/read_write/pooled/heartbeat: 50 a second")));
  EXPECT_THAT(lines, Contains(HasSubstr("pg1:5000: 3 idle, 1 in_transaction, 1 long_query")));
  EXPECT_THAT(run.steps, IsEmpty());
  expect_clean(run);
}

}  // namespace
}  // namespace pgfiredrill
