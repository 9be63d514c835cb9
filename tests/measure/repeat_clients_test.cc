/// That what clients saw comes into the results of a repeat.

#include <algorithm>

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
using ::testing::SizeIs;
using testing::SyntheticRun;

constexpr std::uint16_t kReads = 1;
constexpr std::uint16_t kHeartbeats = 3;
constexpr double kInjected = 21;

void add_heartbeat(SyntheticRun& run, std::uint64_t number, double at, std::int16_t node) {
  Operation operation = testing::operation('+', at_s(at), number, kHeartbeats);
  operation.write = true;
  operation.node = static_cast<std::uint16_t>(node);
  operation.done_after = at_s(0.01);
  run.operations.push_back(operation);
}

void add_read(SyntheticRun& run, std::uint32_t shown, double at) {
  Operation operation = testing::operation('+', at_s(at), 1'000'000, kReads);
  operation.in_recovery = true;
  operation.heartbeat = shown;
  operation.sent_after = nanoseconds{0};
  run.operations.push_back(operation);
}

/// A switchover in which a second postmaster takes writes from 27 s on and a replica is 2 s behind at 30 s.
SyntheticRun switched_over() {
  SyntheticRun run = testing::empty_run();
  run.manifest.paths.push_back(testing::canary(50));
  run.manifest.paths.back().id = "heartbeat";
  run.manifest.paths.back().purpose = Purpose::heartbeat;
  testing::begin_repeat(run, 10);
  run.add(event::kServerSeen, 11, {{"node", std::int64_t{1}}, {"postmaster_start", std::string{"1000001"}}});
  run.add(event::kServerSeen, 27, {{"node", std::int64_t{2}}, {"postmaster_start", std::string{"1000002"}}});
  add_heartbeat(run, 1, 20, 1);
  add_heartbeat(run, 2, 27, 2);
  add_heartbeat(run, 3, 27.99, 2);
  add_read(run, 2, 30);
  return run;
}

void add_client(SyntheticRun& run, const std::string& kind, std::int64_t client) {
  run.add(event::kClientOpened, 12,
          {{"drill", testing::kNone},
           {"repeat", testing::kNone},
           {"client", client},
           {"kind", kind},
           {"entrypoint", std::string{"pg1:5000"}},
           {"postmaster_start", std::string{"1000001"}}});
}

RepeatResult judged(SyntheticRun& run) {
  run.add(event::kTrafficStopped, 51, {{"thread", "traffic"}});
  testing::end_repeat(run, 60);
  run.add(event::kRunEnded, 61, {{"outcome", "passed"}});
  return run.judge().drills.at(0).repeats.at(0);
}

TEST(RepeatClients, LagIsCountedFromHeartbeatsAndReads) {
  SyntheticRun run = switched_over();
  run.manifest.drills[0].expectations = {{.metric = "replica_lag_s", .limit = 1}};
  const RepeatResult result = judged(run);
  ASSERT_TRUE(result.replica_lag && result.replica_lag->max_s);
  EXPECT_NEAR(*result.replica_lag->max_s, 2, 1e-3);
  EXPECT_THAT(result.replica_lag->paths, SizeIs(1));
  EXPECT_EQ(result.expectations.at(0).measured, result.replica_lag->max_s);
  EXPECT_FALSE(result.expectations.at(0).passed);
}

TEST(RepeatClients, LagThatWasNotMeasuredHasItsReason) {
  SyntheticRun run = testing::empty_run();
  testing::begin_repeat(run, 10);
  EXPECT_THAT(judged(run).not_measured,
              Contains(::testing::AllOf(Field(&NotMeasured::pointer, "/replica_lag/max_s"),
                                        Field(&NotMeasured::reason, "no heartbeat was acknowledged"))));
}

// The new leader is known by its first acknowledged write, the long query's server by who writes at the end.
TEST(RepeatClients, SessionsAreJudgedByWhoTookWrites) {
  SyntheticRun run = switched_over();
  add_client(run, "idle", 1);
  add_client(run, "long_query", 2);
  for (const double at : {25.0, 29.0}) {
    run.add(event::kClientAnswer, at,
            {{"client", std::int64_t{1}},
             {"ok", false},
             {"took_s", 0.01},
             {"class", std::string{"25006"}},
             {"layer", std::string{"routing"}}});
  }
  run.add(event::kClientClosed, 51, {{"client", std::int64_t{1}}});
  run.add(event::kClientClosed, 51, {{"client", std::int64_t{2}}, {"waiting_s", 39.0}});
  const RepeatResult result = judged(run);
  ASSERT_THAT(result.clients, SizeIs(2));
  EXPECT_EQ(result.clients[0].read_only_errors, 1u)
      << "the one at 25 s was before the new leader's first write";
  EXPECT_NEAR(*result.clients[0].read_only_until_s, 29 - kInjected, 1e-6);
  EXPECT_EQ(result.clients[1].end, "stuck");
  EXPECT_NEAR(*result.clients[1].stuck_s, 51 - kInjected, 1e-6);
  const auto findings = run.judge().findings;
  EXPECT_THAT(findings, Contains(Field(&Finding::id, "client.stuck")));
  EXPECT_THAT(findings, Contains(Field(&Finding::evidence,
                                       Contains(HasSubstr("switchover, repeat 1: 1 session of kind idle")))));
}

TEST(RepeatClients, AreNotJudgedWithoutAFault) {
  SyntheticRun run = testing::empty_run();
  run.add(event::kRepeatStarted, 10, {{"drill", testing::kNone}, {"repeat", testing::kNone}});
  add_client(run, "idle", 1);
  run.add(event::kClientClosed, 51, {{"client", std::int64_t{1}}, {"waiting_s", 30.0}});
  testing::end_repeat(run, 60, "refused");
  EXPECT_THAT(run.judge().drills.at(0).repeats.at(0).clients, IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill
