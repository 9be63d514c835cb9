/// That what the servers said of themselves, and writes on two timelines, come into the results of a repeat.

#include <gmock/gmock.h>

#include "measure/judge.h"
#include "tests/measure/synthetic_run.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SyntheticRun;

constexpr std::uint16_t kWrites = 0;

void add_write(SyntheticRun& run, std::uint32_t timeline, double at, std::uint64_t number) {
  Operation operation = testing::operation('+', at_s(at), number, kWrites);
  operation.write = true;
  operation.timeline = timeline;
  run.operations.push_back(operation);
}

void add_state(SyntheticRun& run, const std::string& member, double at, bool in_recovery,
               const std::string& lsn = "0/1000") {
  run.add(event::kServerState, at,
          {{"member", member},
           {"reachable", true},
           {"in_recovery", in_recovery},
           {"timeline", std::int64_t{2}},
           {"lsn", lsn},
           {"postmaster_start", member},
           {"asked_at", std::int64_t{at_s(at - 0.001).count()}}});
}

RunResult judged(SyntheticRun& run) {
  run.add(event::kTrafficStopped, 51, {{"thread", "traffic"}});
  testing::end_repeat(run, 60);
  run.add(event::kRunEnded, 61, {{"outcome", "passed"}});
  return run.judge();
}

SyntheticRun begun() {
  SyntheticRun run = testing::empty_run();
  testing::begin_repeat(run, 10);
  return run;
}

TEST(RepeatServers, AWriteOnTheOldTimelineAfterOneOnTheNewFailsTheRepeat) {
  SyntheticRun run = begun();
  add_write(run, 2, 26, 1);
  add_write(run, 1, 27, 2);
  const RunResult result = judged(run);
  const RepeatResult& repeat = result.drills.at(0).repeats.at(0);
  ASSERT_TRUE(repeat.split_brain);
  EXPECT_TRUE(repeat.split_brain->proven);
  EXPECT_TRUE(repeat.split_brain->through_entry_point);
  EXPECT_EQ(repeat.verdict, Verdict::failed);
  EXPECT_THAT(repeat.reasons, Contains(HasSubstr("two servers took writes at once")));
  EXPECT_THAT(result.findings, Contains(Field(&Finding::id, "split-brain.proven")));
}

TEST(RepeatServers, OnANodeThatWasAskedDirectlyItWarns) {
  SyntheticRun run = begun();
  run.manifest.paths[kWrites].pinned_member = "pgnode01";
  add_write(run, 2, 26, 1);
  add_write(run, 1, 27, 2);
  const RunResult result = judged(run);
  const RepeatResult& repeat = result.drills.at(0).repeats.at(0);
  ASSERT_TRUE(repeat.split_brain);
  EXPECT_TRUE(repeat.split_brain->proven);
  EXPECT_FALSE(repeat.split_brain->through_entry_point);
  EXPECT_THAT(repeat.reasons, Not(Contains(HasSubstr("two servers took writes at once"))));
  EXPECT_THAT(result.findings, Contains(Field(&Finding::severity, Severity::warn)));
}

TEST(RepeatServers, AHandoverIsNoSplitBrain) {
  SyntheticRun run = begun();
  add_write(run, 1, 26, 1);
  add_write(run, 2, 27, 2);
  const RunResult result = judged(run);
  const RepeatResult& repeat = result.drills.at(0).repeats.at(0);
  ASSERT_TRUE(repeat.split_brain);
  EXPECT_FALSE(repeat.split_brain->proven);
  EXPECT_FALSE(repeat.split_brain->overlap_s) << "nobody was asked";
}

TEST(RepeatServers, TwoOutOfRecoveryAtOnceIsPossibleAndAFinding) {
  SyntheticRun run = begun();
  add_write(run, 2, 26, 1);
  for (double at = 24; at < 30; at += 0.1) {
    add_state(run, "pgnode01", at, false);
    add_state(run, "pgnode02", at + 0.05, at < 26);
  }
  const RunResult result = judged(run);
  const RepeatResult& repeat = result.drills.at(0).repeats.at(0);
  ASSERT_TRUE(repeat.split_brain && repeat.split_brain->overlap_s);
  EXPECT_TRUE(repeat.split_brain->possible);
  EXPECT_FALSE(repeat.split_brain->proven);
  EXPECT_NEAR(*repeat.split_brain->overlap_s, 3.8, 0.2);
  EXPECT_THAT(result.findings, Contains(Field(&Finding::id, "split-brain.possible")));
}

TEST(RepeatServers, OneAfterTheOtherOverlapsForNoTimeAndLagIsOfReplicas) {
  SyntheticRun run = begun();
  add_write(run, 2, 26, 1);
  for (double at = 24; at < 30; at += 0.1) {
    add_state(run, "pgnode02", at, false, "0/1400");
    add_state(run, "pgnode01", at + 0.05, true, "0/1000");
  }
  const RunResult result = judged(run);
  const RepeatResult& repeat = result.drills.at(0).repeats.at(0);
  ASSERT_TRUE(repeat.split_brain);
  EXPECT_EQ(repeat.split_brain->overlap_s, 0);
  EXPECT_FALSE(repeat.split_brain->possible);
  ASSERT_TRUE(repeat.replica_lag);
  EXPECT_EQ(repeat.replica_lag->max_bytes, 1024);
  ASSERT_EQ(repeat.replica_lag->nodes.size(), 1u);
  EXPECT_EQ(repeat.replica_lag->nodes[0].member, "pgnode01");
  EXPECT_THAT(result.findings, IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill
