#include "measure/judge.h"

#include <random>

#include <gmock/gmock.h>

#include "synthetic_run.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::begin_repeat;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::empty_run;
using testing::end_repeat;
using ::testing::HasSubstr;
using testing::healthy_switchover;
using ::testing::IsEmpty;
using testing::read_back;
using testing::switchover_traffic;
using testing::SyntheticRun;
using testing::times;
using testing::watch_health;

const RepeatResult& only_repeat(const RunResult& result) {
  return result.drills.at(0).repeats.at(0);
}

std::string why_missing(const RepeatResult& repeat, const std::string& pointer) {
  for (const NotMeasured& missing : repeat.not_measured) {
    if (missing.pointer == pointer) return missing.reason;
  }
  return "";
}

void erase_events(SyntheticRun& run, const std::string& kind) {
  std::erase_if(run.events, [&](const Event& event) { return event.kind == kind; });
}

Event& find_event(SyntheticRun& run, const std::string& kind) {
  return *std::find_if(run.events.begin(), run.events.end(),
                       [&](const Event& event) { return event.kind == kind; });
}

/// Everything after `at_s` never happened.
void kill_at(SyntheticRun& run, double at) {
  std::erase_if(run.events, [&](const Event& event) { return event.at > at_s(at); });
  std::erase_if(run.operations, [&](const Operation& op) { return op.due > at_s(at); });
  run.ended = false;
}

TEST(JudgeRun, HealthySwitchoverPassesWithItsNumbers) {
  const RunResult result = healthy_switchover().judge();
  EXPECT_EQ(result.verdict, Verdict::passed);
  EXPECT_THAT(result.reasons, IsEmpty());
  EXPECT_TRUE(result.ended);
  EXPECT_EQ(result.started_at, "2027-01-15T08:00:01.000Z");
  const RepeatResult& repeat = only_repeat(result);
  EXPECT_EQ(repeat.target, "pgnode01");
  EXPECT_EQ(repeat.evidence, "the leader key moved");
  EXPECT_EQ(repeat.injected_at, "2027-01-15T08:00:21.000Z");
  EXPECT_EQ(repeat.confirmed_s, 1.0);
  EXPECT_EQ(repeat.random_delay_s, 1.5);
  EXPECT_EQ(repeat.old_leader, "pgnode01");
  EXPECT_EQ(repeat.new_leader, "pgnode02");
  EXPECT_EQ(repeat.full_health_s, 8.0);
  ASSERT_EQ(repeat.paths.size(), 2u) << "ledger paths are judged by durability";
  EXPECT_EQ(repeat.paths[0].outage_s, 5.0);
  EXPECT_EQ(repeat.paths[1].outage_s, 0.0);
  ASSERT_EQ(repeat.expectations.size(), 3u);
  for (const ExpectationResult& expectation : repeat.expectations) EXPECT_TRUE(expectation.passed);
  EXPECT_EQ(why_missing(repeat, "/reverted_at"), "nothing was reverted");
}

TEST(JudgeRun, DurabilityOfAHealthySwitchover) {
  const RunResult result = healthy_switchover().judge();
  const Durability& durability = *only_repeat(result).durability;
  EXPECT_EQ(durability.attempted, 400u);
  EXPECT_EQ(durability.acknowledged, 350u);
  EXPECT_EQ(durability.in_doubt, 2u);
  EXPECT_EQ(durability.failed, 48u);
  EXPECT_EQ(durability.lost, 0u);
  EXPECT_EQ(durability.unexpected, 0u);
  EXPECT_EQ(durability.duplicated, 0u);
  EXPECT_EQ(durability.in_doubt_present, 1u);
  EXPECT_EQ(durability.rpo_bytes, 0);
  ASSERT_EQ(durability.nodes.size(), 3u);
  EXPECT_TRUE(durability.nodes[2].read);
  EXPECT_EQ(durability.nodes[2].rows, 300u);
  EXPECT_EQ(durability.nodes[2].timeline, 2u);
}

TEST(JudgeRun, SummaryIsOfTheRepeatsThatRanToTheirEnd) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills[0].repeats = 3;
  run.events.pop_back();
  begin_repeat(run, 100, 1);
  switchover_traffic(run, 100);
  run.add(event::kTrafficStopped, 141);
  end_repeat(run, 142, "aborted", "guard", 1);
  run.add(event::kRunEnded, 150, {{"outcome", "aborted"}});
  const RunResult result = run.judge();
  ASSERT_EQ(result.drills[0].repeats.size(), 2u);
  const auto& summary = result.drills[0].summary;
  ASSERT_FALSE(summary.empty());
  for (const SummaryRow& row : summary) EXPECT_EQ(row.n, 1u) << row.metric;
  EXPECT_EQ(result.drills[0].verdict, Verdict::aborted) << "the worst repeat decides";
  EXPECT_EQ(result.verdict, Verdict::aborted);
  EXPECT_THAT(result.drills[0].reasons, Contains(HasSubstr("repeat 2: aborted: guard")));
  EXPECT_THAT(result.drills[0].reasons, Contains(HasSubstr("2 of 3 repeats")));
}

TEST(JudgeRun, OperationsOfOneRepeatAreNotThoseOfTheNext) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills[0].repeats = 2;
  run.events.pop_back();
  begin_repeat(run, 100, 1);
  run.traffic(0, 101, times(400));
  run.traffic(1, 101, times(400));
  run.ledger(2, 101, times(400));
  watch_health(run, 112, 112, 130);
  run.add(event::kTrafficStopped, 141);
  read_back(run, 143, "pgnode02", {{1, 1, 111}, {1, 161, 800}}, 1);
  end_repeat(run, 145, "done", "", 1);
  run.add(event::kRunEnded, 150, {{"outcome", "passed"}});
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::passed) << ::testing::PrintToString(result.reasons);
  const RepeatResult& second = result.drills[0].repeats[1];
  EXPECT_EQ(second.paths[0].outage_s, 0.0);
  EXPECT_EQ(second.durability->attempted, 400u);
  EXPECT_EQ(second.durability->unexpected, 0u);
  EXPECT_FALSE(second.durability->rpo_bytes);
  EXPECT_NE(why_missing(second, "/durability/rpo_bytes"), "");
  EXPECT_EQ(second.old_leader, "pgnode02");
  EXPECT_EQ(result.drills[0].summary[0].n, 2u);
}

TEST(JudgeRun, FailedExpectationFails) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills[0].expectations[0].limit = 4;
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_THAT(result.reasons, ElementsAre("switchover: outage_s (read_write): 5 s, limit 4 s"));
}

TEST(JudgeRun, LostWriteFailsEvenWithoutAnExpectation) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills[0].expectations.clear();
  run.files["readback-0-pgnode02.bin"] = {{1, 1, 108}, {1, 161, 400}};
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_EQ(only_repeat(result).durability->lost, 2u);
  EXPECT_THAT(result.reasons, Contains(HasSubstr("2 of 350 acknowledged writes are lost: 1:109-110")));
}

TEST(JudgeRun, WriteMissingOnAReplicaIsNotLost) {
  SyntheticRun run = healthy_switchover();
  run.files["readback-0-pgnode03.bin"] = {{1, 1, 108}, {1, 161, 400}};
  const RunResult result = run.judge();
  EXPECT_EQ(only_repeat(result).durability->lost, 0u);
  EXPECT_EQ(only_repeat(result).durability->nodes[2].lost, 2u);
}

TEST(JudgeRun, WeakWriteMayBeLostWithoutFailing) {
  SyntheticRun run = healthy_switchover();
  run.operations.clear();
  run.traffic(0, 11, times(400));
  run.traffic(1, 11, times(400));
  run.ledger(2, 11, times(100) + "kk" + times(298));  // 501 and 502, numbers go on from 401
  run.files["readback-0-pgnode02.bin"] = {{1, 401, 501}, {1, 503, 800}};
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::passed) << ::testing::PrintToString(result.reasons);
  EXPECT_EQ(only_repeat(result).durability->weak, 2u);
  EXPECT_EQ(only_repeat(result).durability->weak_lost, 1u);
  EXPECT_EQ(only_repeat(result).durability->acknowledged, 398u);
}

TEST(JudgeRun, DuplicateFails) {
  SyntheticRun run = healthy_switchover();
  run.files["readback-0-pgnode02.bin"] = {{1, 1, 111}, {1, 161, 400}, {1, 200, 200, 1}};
  const RunResult result = run.judge();
  EXPECT_EQ(only_repeat(result).durability->duplicated, 1u);
  EXPECT_EQ(result.verdict, Verdict::failed);
}

TEST(JudgeRun, FailedWriteThatIsThereAccusesTheInstrument) {
  SyntheticRun run = healthy_switchover();
  run.files["readback-0-pgnode02.bin"] = {{1, 1, 115}, {1, 161, 400}};
  const RunResult result = run.judge();
  EXPECT_EQ(only_repeat(result).durability->unexpected, 3u);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
}

TEST(JudgeRun, RecoveryPointOfAFailover) {
  SyntheticRun run = healthy_switchover();
  // Number 110 was acknowledged at 11000; the timeline ended 1000 bytes before, so ten writes are gone.
  find_event(run, event::kTimelineHistory).fields["lsn"] = "0/2710";
  run.timeline = 2;
  for (Operation& op : run.operations) {
    if (op.stream == 1 && op.number > 160) op.timeline = 2;
  }
  EXPECT_EQ(only_repeat(run.judge()).durability->rpo_bytes, 1000);
}

TEST(JudgeRun, LeaderThatWasNotReadBackLeavesLossUnknown) {
  SyntheticRun run = healthy_switchover();
  for (Event& event : run.events) {
    if (event.text("member") == "pgnode02") event.fields["ok"] = false, event.fields["reason"] = "went away";
  }
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_FALSE(only_repeat(result).durability->lost);
  EXPECT_THAT(why_missing(only_repeat(result), "/durability/lost"), HasSubstr("went away"));
  EXPECT_THAT(only_repeat(result).expectations[1].why, HasSubstr("went away"));
}

TEST(JudgeRun, LossThatIsNotKnownIsInconclusiveWithoutAnExpectationToo) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills[0].expectations.clear();
  erase_events(run, event::kReadback);
  EXPECT_EQ(run.judge().verdict, Verdict::inconclusive);
}

TEST(JudgeRun, ReplicaBeforeTheFenceIsNotRead) {
  SyntheticRun run = healthy_switchover();
  for (Event& event : run.events) {
    if (event.text("member") == "pgnode03") event.fields["replay_lsn"] = "0/7FFF";
    if (event.text("member") == "pgnode01") event.fields["timeline"] = std::int64_t{1};
  }
  const RunResult result = run.judge();
  for (const NodeDurability& node : only_repeat(result).durability->nodes) {
    EXPECT_EQ(node.read, node.member == "pgnode02") << node.member;
    EXPECT_EQ(node.why_not.empty(), node.read);
  }
  EXPECT_EQ(result.verdict, Verdict::passed);
}

TEST(JudgeRun, RefusedRepeatIsRefusedAndNothingElse) {
  SyntheticRun run = empty_run();
  run.add(event::kRepeatStarted, 10, {{"drill", std::int64_t{0}}, {"repeat", std::int64_t{0}}});
  end_repeat(run, 11, "refused", "a backup is running");
  run.add(event::kRunEnded, 12, {{"outcome", "refused"}, {"reason", "a backup is running"}});
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::refused);
  EXPECT_THAT(only_repeat(result).reasons, ElementsAre("preflight refused: a backup is running"));
  EXPECT_EQ(why_missing(only_repeat(result), "/paths/0/outage_s"), "no fault was injected");
  EXPECT_FALSE(only_repeat(result).paths[0].outage_s);
  EXPECT_NE(why_missing(only_repeat(result), "/expectations/0/measured"), "");
}

TEST(JudgeRun, RefusedAfterTheBaselineIsRefusedWhateverTrafficDid) {
  SyntheticRun run = healthy_switchover();
  kill_at(run, 20);
  run.operations.back() = testing::operation('d', at_s(20), 91);
  run.add(event::kTrafficStopped, 20.5);
  end_repeat(run, 21, "refused", "a path was not up");
  run.ended = true;
  run.add(event::kRunEnded, 22, {{"outcome", "refused"}});
  EXPECT_EQ(run.judge().verdict, Verdict::refused);
  EXPECT_THAT(only_repeat(run.judge()).reasons, ElementsAre("preflight refused: a path was not up"));
}

TEST(JudgeRun, AbortedIsAbortedWhateverTheNumbersSay) {
  SyntheticRun run = healthy_switchover();
  find_event(run, event::kRepeatEnded).fields = {{"outcome", "aborted"}, {"reason", "Ctrl-C"}};
  run.manifest.drills[0].expectations[0].limit = 1;
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::aborted);
  EXPECT_THAT(only_repeat(result).reasons, Contains("aborted: Ctrl-C"));
  EXPECT_THAT(only_repeat(result).reasons, Contains(HasSubstr("limit 1 s")));
  EXPECT_THAT(result.drills[0].summary, IsEmpty());
}

TEST(JudgeRun, IncompleteRevertIsAborted) {
  SyntheticRun run = healthy_switchover();
  find_event(run, event::kRepeatEnded).fields = {{"outcome", "revert_incomplete"}, {"reason", "ssh is gone"}};
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::aborted);
  EXPECT_THAT(result.reasons, Contains(HasSubstr("ssh is gone")));
}

TEST(JudgeRun, FaultThatDidNotTakeProvesNothing) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills[0].expectations[0].limit = 1;
  find_event(run, event::kRepeatEnded).fields = {{"outcome", "not_taken"}, {"reason", "same pid"}};
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_THAT(only_repeat(result).reasons, Contains("same pid"));
}

TEST(JudgeRun, FaultWithoutProofIsInconclusive) {
  SyntheticRun run = healthy_switchover();
  erase_events(run, event::kFaultConfirmed);
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_FALSE(only_repeat(result).confirmed_s);
  EXPECT_NE(why_missing(only_repeat(result), "/confirmed_s"), "");
}

TEST(JudgeRun, KilledRunIsJudgedAsFarAsItGoes) {
  SyntheticRun run = healthy_switchover();
  kill_at(run, 35);
  // Reads that were in flight have no record.
  std::erase_if(run.operations, [](const Operation& op) { return op.path == 1 && op.due > at_s(34.05); });
  const RunResult result = run.judge();
  EXPECT_FALSE(result.ended);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  const RepeatResult& repeat = only_repeat(result);
  EXPECT_THAT(repeat.reasons, Contains("the program was killed while in stage observe"));
  EXPECT_EQ(repeat.paths[0].outage_s, 5.0);
  EXPECT_TRUE(repeat.paths[1].instrument.valid) << repeat.paths[1].instrument.why;
  EXPECT_FALSE(repeat.durability->lost);
  EXPECT_NE(why_missing(repeat, "/durability/lost"), "");
  EXPECT_THAT(result.drills[0].summary, IsEmpty());
}

TEST(JudgeRun, KilledDuringTheOutageIsCensored) {
  SyntheticRun run = healthy_switchover();
  kill_at(run, 25);
  const RepeatResult repeat = only_repeat(run.judge());
  ASSERT_EQ(repeat.paths[0].windows.size(), 1u);
  EXPECT_TRUE(repeat.paths[0].windows[0].censored);
  EXPECT_EQ(repeat.paths[0].windows[0].end_s, 4.0);
  EXPECT_EQ(repeat.verdict, Verdict::inconclusive);
  run.manifest.drills[0].expectations[0].limit = 2;
  EXPECT_EQ(run.judge().verdict, Verdict::failed) << "it already lasted longer";
}

TEST(JudgeRun, CensoredOutageBelowTheLimitIsInconclusive) {
  SyntheticRun run = healthy_switchover();
  for (Operation& op : run.operations) {
    if (op.path == 0 && op.due > at_s(45)) op = testing::operation('x', op.due, op.number);
  }
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_FALSE(only_repeat(result).full_health_s) << "a path that is needed is down at the end";
}

TEST(JudgeRun, DrillsThatNeverBegan) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills.push_back({.name = "kill"});
  run.events.back().fields = {{"outcome", "aborted"}, {"reason", "the guard"}};
  const RunResult result = run.judge();
  EXPECT_EQ(result.drills[1].verdict, Verdict::inconclusive);
  EXPECT_THAT(result.drills[1].reasons, ElementsAre("never begun: the guard"));
  EXPECT_EQ(result.verdict, Verdict::aborted);
  run.events.back().fields = {{"outcome", "refused"}};
  EXPECT_EQ(run.judge().drills[1].verdict, Verdict::refused);
}

TEST(JudgeRun, NotSteadyBeforeTheFault) {
  SyntheticRun run = healthy_switchover();
  for (Operation& op : run.operations) {
    if (op.path == 1 && op.due == at_s(15)) op = testing::operation('x', op.due, op.number, 1);
  }
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_THAT(only_repeat(result).reasons, ElementsAre(HasSubstr("not steady before the fault: pg1:5001")));
  run.manifest.paths[1].needed_for_steady_state = false;
  EXPECT_EQ(run.judge().verdict, Verdict::passed) << "such a path is not needed";
}

TEST(JudgeRun, InstrumentThatCouldNotKeepUp) {
  SyntheticRun run = healthy_switchover();
  for (Operation& op : run.operations) {
    if (op.path == 1 && op.due == at_s(30)) op = testing::operation('d', op.due, op.number, 1);
  }
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_FALSE(only_repeat(result).paths[1].instrument.valid);
  EXPECT_THAT(only_repeat(result).reasons, ElementsAre(HasSubstr("numbers cannot be trusted: pg1:5001")));
}

TEST(JudgeRun, LoopStallsReachThePathsThatTheyServe) {
  SyntheticRun run = healthy_switchover();
  run.events.insert(
      run.events.end() - 1,
      {.kind = event::kLoopStall, .at = at_s(30), .fields = {{"loop", "connector-0"}, {"stall_s", 0.2}}});
  const RepeatResult repeat = only_repeat(run.judge());
  EXPECT_DOUBLE_EQ(repeat.paths[0].instrument.loop_stall_max_s, 0.2);
  EXPECT_DOUBLE_EQ(repeat.paths[1].instrument.loop_stall_max_s, 0);
}

TEST(JudgeRun, MachineThatSlept) {
  SyntheticRun run = healthy_switchover();
  run.manifest.drills[0].expectations[0].limit = 1;
  run.events.insert(run.events.end() - 2,
                    {.kind = event::kSuspended, .at = at_s(30), .fields = {{"suspended_s", 12.0}}});
  EXPECT_EQ(run.judge().verdict, Verdict::inconclusive);
}

TEST(JudgeRun, MachineThatSleptAtAnUnknownTimeSpoilsEveryRepeat) {
  SyntheticRun run = healthy_switchover();
  run.events.insert(run.events.end() - 1,
                    {.kind = event::kSuspended, .at = at_s(59), .fields = {{"suspended_s", 12.0}}});
  EXPECT_EQ(run.judge().verdict, Verdict::inconclusive);
}

TEST(JudgeRun, HealthThatWasNotReached) {
  SyntheticRun run = healthy_switchover();
  erase_events(run, event::kHealth);
  EXPECT_EQ(why_missing(only_repeat(run.judge()), "/recovery/full_health_s"),
            "the cluster's health was not watched after the fault");
  SyntheticRun sick = healthy_switchover();
  for (Event& event : sick.events) {
    if (event.kind == event::kHealth) event.fields["healthy"] = false;
  }
  EXPECT_EQ(sick.judge().verdict, Verdict::inconclusive);
  sick.manifest.drills[0].expectations[2].limit = 20;
  EXPECT_EQ(sick.judge().verdict, Verdict::failed) << "it was watched for 29 s";
  sick.manifest.drills[0].expectations.clear();
  EXPECT_EQ(sick.judge().verdict, Verdict::inconclusive) << "whatever is expected";
}

TEST(JudgeRun, DamagedRecordIsToldAndInconclusive) {
  SyntheticRun run = healthy_switchover();
  run.damage = {{.file = "ops-traffic.bin", .good_records = 10, .bytes_left = 56}};
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_THAT(result.reasons, ElementsAre(HasSubstr("ops-traffic.bin")));
}

TEST(JudgeRun, RunWithoutALedgerHasNoDurability) {
  SyntheticRun run = healthy_switchover();
  run.manifest.paths.pop_back();
  std::erase_if(run.operations, [](const Operation& op) { return op.path == 2; });
  run.manifest.drills[0].expectations.erase(run.manifest.drills[0].expectations.begin() + 1);
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::passed);
  EXPECT_FALSE(only_repeat(result).durability);
  EXPECT_EQ(why_missing(only_repeat(result), "/durability"), "the run wrote no ledger");
}

TEST(JudgeRun, FindingsOfAllRepeatsStandAtTheRun) {
  SyntheticRun run = healthy_switchover();
  TrafficPath list = testing::canary(10);
  list.id = "list:6432+tsa";
  list.entrypoint = "list:6432+tsa";
  list.addresses.resize(3);
  list.needed_for_steady_state = false;
  run.manifest.paths.push_back(list);
  run.traffic(3, 11, times(100) + times(300, 'o'));
  const RunResult result = run.judge();
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "pooler.stale-in-hot-standby");
  EXPECT_EQ(result.verdict, Verdict::passed) << "a finding is no failed expectation";
}

// ---- hostile records
// ------------------------------------------------------------------------------------------

TEST(JudgeRun, OperationsOfNoPathAreTold) {
  SyntheticRun run = healthy_switchover();
  run.operations.push_back(testing::operation('+', at_s(20), 1, 999));
  const RunResult result = run.judge();
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_THAT(only_repeat(result).reasons, ElementsAre(HasSubstr("no path")));
}

TEST(JudgeRun, EmptyRecords) {
  SyntheticRun run;
  EXPECT_EQ(run.judge().verdict, Verdict::passed) << "nothing was asked for";
  run.manifest.drills = {{.name = "a"}};
  run.ended = false;
  EXPECT_EQ(run.judge().verdict, Verdict::inconclusive);
}

TEST(JudgeRun, RepeatOfNoDrillIsTold) {
  SyntheticRun run = healthy_switchover();
  run.events.insert(run.events.end() - 1,
                    {.kind = event::kRepeatStarted,
                     .at = at_s(58),
                     .fields = {{"drill", std::int64_t{7}}, {"repeat", std::int64_t{0}}}});
  EXPECT_EQ(run.judge().verdict, Verdict::inconclusive);
}

TEST(JudgeRun, RandomRecordsNeverCrash) {
  const char* const kinds[] = {event::kRepeatStarted,   event::kRepeatEnded,    event::kStage,
                               event::kTrafficStarted,  event::kTrafficStopped, event::kFaultSent,
                               event::kFaultConfirmed,  event::kHealth,         event::kTopology,
                               event::kLoopStall,       event::kReadback,       event::kFence,
                               event::kTimelineHistory, event::kRunEnded,       event::kSuspended};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random{seed};
    SyntheticRun run = healthy_switchover();
    const auto any_instant = [&] {
      const auto wild = static_cast<nanoseconds::rep>(random());
      return random() % 3 == 0 ? nanoseconds{wild} : at_s(static_cast<double>(random() % 70));
    };
    for (TrafficPath& path : run.manifest.paths) {
      if (random() % 2 == 0) continue;
      path.rate_hz = static_cast<double>(static_cast<std::int64_t>(random())) / 1e9;
      path.deadline = any_instant();
      path.servers_behind = static_cast<int>(random());
    }
    for (std::size_t i = 0; i < 40; ++i) {
      Event event{.kind = kinds[random() % std::size(kinds)], .at = any_instant()};
      for (const char* field :
           {"drill", "repeat", "stall_s", "timeline", "suspended_s", "rows", "lsn", "member"}) {
        if (random() % 2 == 0) event.fields[field] = static_cast<std::int64_t>(random() % 3) - 1;
        if (random() % 4 == 0) event.fields[field] = 1e300 * (random() % 2 == 0 ? 1 : -1);
        if (random() % 4 == 0) event.fields[field] = std::string{"0/1"};
      }
      run.events.insert(run.events.begin() + static_cast<std::ptrdiff_t>(random() % run.events.size()),
                        event);
    }
    for (Operation& op : run.operations) {
      if (random() % 20 != 0) continue;
      op.due = any_instant();
      op.path = static_cast<std::uint16_t>(random() % 5);
      op.layer = static_cast<Layer>(random());
      op.error = ErrorClass::from_code(static_cast<std::uint32_t>(random()));
      op.kind = random() % 2 == 0 ? RecordKind::sent : RecordKind::done;
      op.number = random() >> 16;
    }
    SCOPED_TRACE(seed);
    const RunResult result = run.judge();
    EXPECT_EQ(result.drills.size(), 1u);
    std::shuffle(run.events.begin(), run.events.end(), random);
    (void)run.judge();
  }
}

}  // namespace
}  // namespace pgfiredrill
