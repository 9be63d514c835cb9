#include "measure/heartbeat_lag.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "tests/measure/history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint16_t kHeartbeats = 0;
constexpr std::uint16_t kReplica = 1;
constexpr std::uint16_t kOtherReplica = 2;
constexpr std::uint16_t kWrites = 3;

std::vector<TrafficPath> paths() {
  TrafficPath replica{.id = "pg1:5001/read_only/pooled", .access = Access::read_only, .rate_hz = 50};
  TrafficPath other = replica;
  other.id = "pg2:5001/read_only/pooled";
  return {{.id = "heartbeat", .purpose = Purpose::heartbeat, .rate_hz = 50},
          replica,
          other,
          {.id = "pg1:5000/read_write/pooled", .rate_hz = 50}};
}

Operation heartbeat(std::uint64_t number, double due_s, double done_s) {
  Operation operation;
  operation.outcome = Outcome::acknowledged;
  operation.write = true;
  operation.path = kHeartbeats;
  operation.number = number;
  operation.due = at_s(due_s);
  operation.sent_after = nanoseconds{0};
  operation.done_after = at_s(done_s) - operation.due;
  return operation;
}

Operation read(std::uint32_t shown, double due_s, double sent_s, std::uint16_t path = kReplica) {
  Operation operation;
  operation.outcome = Outcome::acknowledged;
  operation.in_recovery = true;
  operation.path = path;
  operation.heartbeat = shown;
  operation.due = at_s(due_s);
  operation.sent_after = at_s(sent_s) - operation.due;
  operation.done_after = *operation.sent_after + at_s(0.001);
  return operation;
}

Operation read(std::uint32_t shown, double at) {
  return read(shown, at, at);
}

HeartbeatLag::Result lag_of(std::vector<Operation> operations, double from_s = 0) {
  std::stable_sort(operations.begin(), operations.end(),
                   [](const Operation& a, const Operation& b) { return a.due < b.due; });
  const auto all = paths();
  HeartbeatLag lag{all, at_s(from_s)};
  for (const Operation& operation : operations) lag.on(operation);
  return lag.finish();
}

double max_of(const std::vector<Operation>& operations) {
  return lag_of(operations).max_s.value_or(-1);
}

TEST(HeartbeatLag, CountsFromTheFirstHeartbeatThatWasMissed) {
  EXPECT_NEAR(
      max_of({heartbeat(1, 10, 10.01), heartbeat(2, 11, 11.01), heartbeat(3, 12, 12.01), read(1, 13)}),
      13 - 11.01, 1e-3);
  EXPECT_EQ(max_of({heartbeat(1, 10, 10.01), heartbeat(2, 11, 11.01), read(2, 13)}), 0);
}

// Nobody was told yet that there is something newer.
TEST(HeartbeatLag, AHeartbeatCountsFromItsAcknowledgement) {
  EXPECT_EQ(max_of({heartbeat(1, 10, 10.01), heartbeat(2, 11, 11.9), read(1, 11.5)}), 0);
  EXPECT_EQ(max_of({heartbeat(1, 10, 10.01), heartbeat(2, 11, 11.9), read(1, 11.9)}), 0);
}

// It was due before a heartbeat and sent after that one had been acknowledged.
TEST(HeartbeatLag, WaitsForWhatWasDueBeforeAReadWasSent) {
  EXPECT_NEAR(max_of({heartbeat(1, 10, 10.01), read(1, 10.5, 10.9), heartbeat(2, 10.6, 10.65)}), 0.25, 1e-3);
}

TEST(HeartbeatLag, TheEarliestAcknowledgementAboveCounts) {
  // Two sessions: the later number was acknowledged first.
  EXPECT_NEAR(
      max_of({heartbeat(1, 10, 10.01), heartbeat(2, 11, 11.9), heartbeat(3, 11.1, 11.2), read(1, 12.9)}),
      12.9 - 11.2, 1e-3);
}

TEST(HeartbeatLag, WhatWasNotAcknowledgedIsNotMissed) {
  for (const Outcome outcome : {Outcome::failed, Outcome::in_doubt}) {
    Operation doubtful = heartbeat(2, 11, 11.01);
    doubtful.outcome = outcome;
    EXPECT_EQ(max_of({heartbeat(1, 10, 10.01), doubtful, read(1, 13)}), 0);
  }
  Operation weak = heartbeat(2, 11, 11.01);
  weak.outcome = Outcome::weak;
  EXPECT_GT(max_of({heartbeat(1, 10, 10.01), weak, read(1, 13)}), 1)
      << "the client was told that it is there";
}

TEST(HeartbeatLag, AReplicaThatNeverShowedAnyMayBeNewForASecond) {
  EXPECT_EQ(max_of({heartbeat(1, 10, 10.01), read(0, 10.9)}), -1) << "not measured";
  EXPECT_NEAR(max_of({heartbeat(1, 10, 10.01), read(0, 12)}), 1.99, 1e-3);
}

TEST(HeartbeatLag, ReadsThatCountAreThoseOfReplicasAfterTheFault) {
  Operation of_leader = read(1, 13);
  of_leader.in_recovery = false;
  Operation elsewhere = read(1, 13, 13, kWrites);
  Operation failed = read(1, 13);
  failed.outcome = Outcome::failed;
  Operation early = read(1, 11.9);
  for (const Operation& other : {of_leader, elsewhere, failed, early}) {
    const auto result = lag_of({heartbeat(1, 10, 10.01), heartbeat(2, 11, 11.01), other}, 12);
    EXPECT_FALSE(result.max_s);
    EXPECT_THAT(result.paths, IsEmpty());
    EXPECT_EQ(result.why_not, "no replica answered a read after the injection");
  }
}

TEST(HeartbeatLag, SaysWhyItIsNotMeasured) {
  EXPECT_EQ(lag_of({}).why_not, "no heartbeat was acknowledged");
}

// The new leader has lost 3 and 4: until 5 is there, reads miss what a client of 3 was told.
TEST(HeartbeatLag, LostHeartbeatsAreMissedUntilTheNextWrite) {
  const auto result = lag_of({heartbeat(1, 10, 10.01), heartbeat(2, 11, 11.01), heartbeat(3, 12, 12.01),
                              heartbeat(4, 13, 13.01), read(2, 20), heartbeat(5, 21, 21.01), read(5, 21.5)});
  EXPECT_NEAR(*result.max_s, 20 - 12.01, 1e-3);
  ASSERT_THAT(result.paths, SizeIs(1));
  EXPECT_EQ(result.paths[0].reads, 2u);
}

TEST(HeartbeatLag, EachPathHasItsOwnFigures) {
  std::vector<Operation> operations{heartbeat(1, 1, 1.01), heartbeat(2, 2, 2.01)};
  for (int i = 0; i < 100; ++i) operations.push_back(read(2, 3 + i * 0.01));
  operations.push_back(read(1, 5, 5, kOtherReplica));
  const auto result = lag_of(operations);
  ASSERT_THAT(result.paths, SizeIs(2));
  EXPECT_EQ(result.paths[0].id, "pg1:5001/read_only/pooled");
  EXPECT_EQ(result.paths[0].reads, 100u);
  EXPECT_EQ(result.paths[0].p95_s, 0);
  EXPECT_NEAR(*result.paths[1].p95_s, 2.99, 1e-2);
  EXPECT_NEAR(*result.max_s, 2.99, 1e-3);
}

// A record may hold anything: no path, a read that waits for ever, numbers that go back.
TEST(HeartbeatLag, BearsWhatNoRunOfOursWrites) {
  Operation nowhere = read(1, 13);
  nowhere.path = 99;
  Operation late = read(1, 13);
  late.sent_after = std::chrono::hours{1};
  EXPECT_EQ(max_of({heartbeat(7, 10, 10.01), heartbeat(3, 11, 11.01), nowhere, late, read(7, 13)}), 0);
}

/// A replica that is `delay` behind a leader which commits at once, read at random times.
TEST(HeartbeatLag, FindsTheDelayOfGeneratedReplicas) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    std::mt19937 random{seed};
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>{low, high}(random);
    };
    const double delay = uniform(0.1, 8);
    std::vector<Operation> operations;
    std::vector<double> done;
    for (int i = 0; i < 1000; ++i) {
      const double due = 100 + i * 0.02;
      done.push_back(due + uniform(0.001, 0.019));
      operations.push_back(heartbeat(static_cast<std::uint64_t>(i) + 1, due, done.back()));
    }
    for (int i = 0; i < 500; ++i) {
      const double due = uniform(110, 119);
      const double sent = due + uniform(0, 0.2);
      const auto shown = std::upper_bound(done.begin(), done.end(), sent - delay) - done.begin();
      operations.push_back(read(static_cast<std::uint32_t>(shown), due, sent));
    }
    const auto result = lag_of(operations);
    ASSERT_TRUE(result.max_s) << seed;
    EXPECT_LE(*result.max_s, delay + 1e-3) << seed << ": what it misses is never older than the delay";
    EXPECT_GE(*result.max_s, delay - 0.04) << seed << ": two heartbeats apart, at most";
  }
}

TEST(AcknowledgedHeartbeats, StayFewWhateverComes) {
  AcknowledgedHeartbeats heartbeats;
  for (std::uint64_t i = 1; i <= 1'600'000; ++i)
    heartbeats.add(i, nanoseconds{static_cast<std::int64_t>(i) * 20});
  EXPECT_EQ(heartbeats.first_above(0), nanoseconds{20}) << "the oldest is kept";
  EXPECT_EQ(heartbeats.first_above(1'599'999), nanoseconds{1'600'000 * 20});
  EXPECT_EQ(heartbeats.first_above(1'600'000), std::nullopt);
}

}  // namespace
}  // namespace pgfiredrill
