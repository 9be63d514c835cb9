#include "drivers/pooled_lane.h"

#include <gmock/gmock.h>
#include <poll.h>

#include "cluster/libpq_connection.h"
#include "tests/drivers/crowd_postgres.h"
#include "tests/drivers/recording_fakes.h"
#include "tests/support/scripted_postgres.h"
#include "tests/support/simulated_clock.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using testing::CrowdPostgres;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::KeepingRecorder;
using testing::SimulatedClock;
using ::testing::SizeIs;
using testing::wire_answer;

/// One lane, stepped by hand: the clock stands still unless a test moves it.
class Lane {
 public:
  Lane(CrowdPostgres::Answer answer, TrafficPath path, std::size_t sessions = 2,
       bool synchronous_promised = false)
      : server{std::move(answer)},
        path_{std::move(path)},
        shared_{clock, servers_, samples_, synchronous_promised} {
    std::vector<double> phases(sessions, 0.0);
    auto writer = recorder.open_operations("traffic");
    writer_ = std::move(*writer);
    lane.emplace(
        LaneJournal{path_, 3, *writer_, shared_}, sockets_, phases,
        [this](nanoseconds, bool, std::function<void(OpenedSession)> handler) {
          ++opened;
          if (!refusing) return handler(open());
          handler({.trouble = {Outcome::failed, Trouble::refused, Layer::balancer}, .text = "refused"});
        });
  }

  void start(LedgerNumbers* numbers = nullptr) {
    lane->start(clock.monotonic(), numbers);
    tick();
  }
  void tick() { lane->tick(clock.monotonic()); }
  void advance(nanoseconds by) {
    clock.advance(by);
    tick();
  }
  /// Lets the sockets speak until so many outcomes are recorded.
  void await_done(std::size_t count) {
    for (int i = 0; i < 300 && recorder.done().size() < count; ++i) serve_sockets();
    EXPECT_THAT(recorder.done(), SizeIs(count));
  }
  void serve_sockets() {
    pollfd ready{.fd = sockets_.descriptor(), .events = POLLIN, .revents = 0};
    (void)::poll(&ready, 1, 10);
    sockets_.dispatch();
  }

  SimulatedClock clock;
  KeepingRecorder recorder;
  CrowdPostgres server;
  int opened = 0;
  bool refusing = false;

 private:
  OpenedSession open() const {
    ConnectParameters parameters;
    parameters.host = "127.0.0.1";
    parameters.port = server.port();
    parameters.user = "traffic";
    parameters.sslmode = "disable";
    auto connection = open_libpq_connection(parameters, "log in", "test");
    EXPECT_TRUE(connection);
    return {.ready = true, .exchange = SessionExchange{std::move(*connection)}};
  }

  TrafficPath path_;
  ServerTable servers_{recorder};
  ErrorSamples samples_{recorder, Secret{"example-password"}};
  TrafficLedgers shared_;
  SocketSet sockets_;
  std::unique_ptr<OperationWriter> writer_;

 public:
  std::optional<PooledLane> lane;  // last: it uses the others
};

TrafficPath read_write(double rate_hz, double write_rate_hz) {
  return {.id = "pg1:5000/read_write/pooled",
          .access = Access::read_write,
          .rate_hz = rate_hz,
          .write_rate_hz = write_rate_hz};
}

std::optional<std::string> primary(const std::string&) {
  return wire_answer("SELECT 1");
}
std::optional<std::string> silent(const std::string&) {
  return std::nullopt;
}

TEST(PooledLane, RecordsWhoAnsweredAndWhen) {
  Lane lane{primary, read_write(10, 0)};
  lane.start();
  lane.await_done(1);
  const Operation done = lane.recorder.operations().at(0);
  EXPECT_EQ(done.kind, RecordKind::done) << "a read has no record of its being sent";
  EXPECT_EQ(done.outcome, Outcome::acknowledged);
  EXPECT_EQ(done.path, 3);
  EXPECT_EQ(done.node, 1);
  EXPECT_EQ(done.lsn, 0x3000148u);
  EXPECT_EQ(done.timeline, 42u);
  EXPECT_EQ(done.backend_pid, 4711u);
  EXPECT_TRUE(done.sent_after && done.done_after);
  EXPECT_FALSE(done.late);
  const auto seen = lane.recorder.events(event::kServerSeen);
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].text("postmaster_start"), "1700000000000001");
}

// If the program is killed, what it sent must be known.
TEST(PooledLane, RecordsAWriteBeforeItIsSent) {
  Lane lane{silent, read_write(10, 10)};
  lane.start();
  const auto operations = lane.recorder.operations();
  ASSERT_THAT(operations, SizeIs(1));
  EXPECT_EQ(operations[0].kind, RecordKind::sent);
  EXPECT_TRUE(operations[0].write);
}

TEST(PooledLane, GivesUpAtTheDeadlineAndReconnectsAtOnce) {
  Lane lane{silent, read_write(0.5, 0.5)};
  lane.start();
  EXPECT_EQ(lane.opened, 2);
  lane.advance(999ms);
  EXPECT_THAT(lane.recorder.done(), IsEmpty());
  lane.advance(1ms);
  const auto done = lane.recorder.done();
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_EQ(done[0].outcome, Outcome::in_doubt) << "it was sent";
  EXPECT_TRUE(done[0].error.is(Trouble::answer_timeout));
  EXPECT_TRUE(done[0].late);
  EXPECT_EQ(lane.opened, 3);
}

TEST(PooledLane, AReadThatIsNotAnsweredHasFailed) {
  Lane lane{silent, read_write(0.5, 0)};
  lane.start();
  lane.advance(1s);
  EXPECT_EQ(lane.recorder.done().at(0).outcome, Outcome::failed);
}

TEST(PooledLane, WhatWaitsWhileEverySessionIsBusyIsDroppedAtItsDeadline) {
  Lane lane{silent, read_write(4, 0)};
  lane.start();
  lane.advance(250ms);
  lane.advance(250ms);  // no session is left for this one
  lane.refusing = true;
  lane.advance(750ms);  // the first two end, and are not had again
  lane.advance(250ms);
  const auto done = lane.recorder.done();
  ASSERT_GE(done.size(), 3u);
  EXPECT_FALSE(done[1].dropped);
  EXPECT_TRUE(done[2].dropped);
  EXPECT_TRUE(done[2].error.is(Trouble::no_connection));
  EXPECT_EQ(done[2].layer, Layer::balancer) << "who refused the lane's last login";
  EXPECT_FALSE(done[2].sent_after);
}

TEST(PooledLane, AnOperationThatWaitedIsSentWhenASessionIsFree) {
  Lane lane{silent, read_write(4, 0), 1};
  lane.start();
  lane.advance(500ms);
  lane.advance(500ms);  // the first ends at its deadline, and the session is new
  const auto done = lane.recorder.done();
  ASSERT_THAT(done, SizeIs(1));
  lane.advance(250ms);
  ASSERT_THAT(lane.recorder.done(), SizeIs(2));
  EXPECT_EQ(lane.recorder.done()[1].sent_after, nanoseconds{750ms});
}

// What our own loop swallowed is not charged to the cluster.
TEST(PooledLane, WhatItCouldNotGetToInTimeIsItsOwnFault) {
  Lane lane{primary, read_write(10, 0)};
  lane.start();
  lane.await_done(1);
  lane.advance(1500ms);
  int late = 0;
  for (const Operation& done : lane.recorder.done()) {
    if (!done.error.is(Trouble::late_dispatch)) continue;
    EXPECT_TRUE(done.dropped);
    EXPECT_EQ(done.layer, Layer::instrument);
    ++late;
  }
  EXPECT_EQ(late, 5) << "due from 0.1 to 0.5 s after the first";
}

TEST(PooledLane, ALostSessionIsHadAgainAtOnceThenEachSecond) {
  Lane lane{primary, read_write(0.01, 0), 1};
  lane.start();
  lane.await_done(1);
  lane.refusing = true;
  lane.server.cut_all();
  for (int i = 0; i < 300 && lane.recorder.events(event::kErrorSample).empty(); ++i) lane.serve_sockets();
  EXPECT_EQ(lane.opened, 1);
  lane.advance(1ms);
  EXPECT_EQ(lane.opened, 2) << "at once";
  lane.advance(998ms);
  EXPECT_EQ(lane.opened, 2);
  lane.advance(1ms);
  lane.advance(1ms);
  EXPECT_EQ(lane.opened, 3);
  lane.advance(1s);
  EXPECT_EQ(lane.opened, 4);
}

TEST(NextAttempt, IsASecondLaterAndSpreadByThePhaseOnce) {
  EXPECT_EQ(next_attempt(10s, 1, 0.0), nanoseconds{11s});
  EXPECT_EQ(next_attempt(10s, 1, 0.5), nanoseconds{10750ms});
  EXPECT_EQ(next_attempt(10s, 2, 0.5), nanoseconds{11s});
}

TEST(PooledLane, AnAnswerFromRecoveryIsMisroutedOnAReadWritePathOnly) {
  for (const Access access : {Access::read_write, Access::read_only}) {
    TrafficPath path = read_write(10, 0);
    path.access = access;
    Lane lane{[](const std::string&) { return wire_answer("SELECT 1", true); }, path};
    lane.start();
    lane.await_done(1);
    const Operation done = lane.recorder.done()[0];
    EXPECT_TRUE(done.in_recovery);
    EXPECT_EQ(done.error.is(Trouble::misrouted), access == Access::read_write);
    EXPECT_EQ(done.acknowledged(), access == Access::read_only);
  }
}

TEST(PooledLane, WithoutThePromisedStandbyAWriteIsWeak) {
  for (const char* names : {"", "pgnode02"}) {
    Lane lane{[=](const std::string&) { return wire_answer("SELECT 1", false, names); }, read_write(10, 10),
              2, true};
    lane.start();
    lane.await_done(1);
    EXPECT_EQ(lane.recorder.done()[0].outcome, *names == '\0' ? Outcome::weak : Outcome::acknowledged);
  }
}

TrafficPath ledger_path(double rate_hz) {
  TrafficPath path = read_write(rate_hz, rate_hz);
  path.purpose = Purpose::ledger;
  return path;
}

TEST(PooledLane, LedgerNumbersBelongToTheSessionAndAreNeverUsedTwice) {
  Lane lane{silent, ledger_path(4), 2};
  LedgerNumbers numbers;
  numbers.set_first_stream(7);
  lane.start(&numbers);
  for (int i = 0; i < 12; ++i) lane.advance(250ms);
  lane.lane->stop();
  lane.start(&numbers);  // the same streams again, by mistake
  for (int i = 0; i < 8; ++i) lane.advance(250ms);
  lane.lane->stop();
  for (int i = 0; i < 8; ++i) lane.advance(250ms);
  std::set<std::pair<int, std::uint64_t>> used;
  for (const Operation& done : lane.recorder.done()) {
    EXPECT_TRUE(used.emplace(done.stream, done.number).second) << done.stream << ' ' << done.number;
    EXPECT_GE(done.stream, 7);
    EXPECT_LE(done.stream, 8);
  }
  EXPECT_GT(used.size(), 15u);
}

TEST(PooledLane, TheLedgerInsertsWhatItRecords) {
  std::mutex mutex;
  std::vector<std::string> statements;
  Lane lane{[&](const std::string& sql) {
              const std::lock_guard lock{mutex};
              statements.push_back(sql);
              return wire_answer("INSERT 0 1");
            },
            ledger_path(10), 1};
  LedgerNumbers numbers;
  lane.start(&numbers);
  lane.await_done(1);
  EXPECT_EQ(lane.recorder.done()[0].outcome, Outcome::acknowledged);
  const std::lock_guard lock{mutex};
  EXPECT_THAT(statements, ElementsAre(::testing::StartsWith("INSERT INTO pgfiredrill.ledger")));
}

TrafficPath heartbeat_path(double rate_hz) {
  TrafficPath path = read_write(rate_hz, rate_hz);
  path.purpose = Purpose::heartbeat;
  return path;
}

// A number that came twice would make a replica look newer than it is.
TEST(PooledLane, HeartbeatsAreNumberedFromOneAndGoOnInTheNextRepeat) {
  std::mutex mutex;
  std::vector<std::string> statements;
  Lane lane{[&](const std::string& sql) {
              const std::lock_guard lock{mutex};
              statements.push_back(sql);
              return wire_answer("UPDATE 1");
            },
            heartbeat_path(10)};
  lane.start();
  lane.await_done(1);
  lane.advance(100ms);
  lane.await_done(2);
  lane.lane->stop();
  lane.start();
  lane.await_done(3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Operation done = lane.recorder.done()[i];
    EXPECT_EQ(done.number, i + 1);
    EXPECT_EQ(done.outcome, Outcome::acknowledged);
    EXPECT_TRUE(done.write);
    EXPECT_EQ(done.heartbeat, 0u) << "a write asks for none";
  }
  const std::lock_guard lock{mutex};
  EXPECT_THAT(statements, ::testing::Each(::testing::StartsWith("UPDATE pgfiredrill.heartbeat")));
}

TEST(PooledLane, ARowThatIsNotThereIsNoHeartbeat) {
  Lane lane{[](const std::string&) { return testing::wire_done("UPDATE 0"); }, heartbeat_path(10)};
  lane.start();
  lane.await_done(1);
  EXPECT_EQ(lane.recorder.done()[0].outcome, Outcome::failed);
}

TEST(PooledLane, ACanaryRecordsTheHeartbeatThatItWasShown) {
  struct Case {
    const char* shown;
    std::uint32_t recorded;
  };
  for (const auto& [shown, recorded] :
       {Case{"4294967295", 4294967295}, {"0", 0}, {"4294967296", 0}, {"-1", 0}, {"x", 0}}) {
    TrafficPath path = read_write(10, 0);
    path.access = Access::read_only;
    Lane lane{[=](const std::string&) { return testing::wire_canary_answer(shown, true); }, path};
    lane.start();
    lane.await_done(1);
    EXPECT_TRUE(lane.recorder.done()[0].acknowledged());
    EXPECT_EQ(lane.recorder.done()[0].heartbeat, recorded) << shown;
  }
}

TEST(PooledLane, IsSettledWhenEverythingDueHasItsOutcome) {
  Lane lane{silent, read_write(0.5, 0)};
  lane.start();
  EXPECT_FALSE(lane.lane->settled());
  lane.lane->stop();
  EXPECT_FALSE(lane.lane->settled()) << "one is in flight";
  lane.advance(1s);
  EXPECT_TRUE(lane.lane->settled());
}

TEST(PooledLane, LeavesNothingWithoutAnOutcomeWhenItEnds) {
  Lane lane{silent, read_write(4, 4), 1};
  lane.start();
  lane.advance(250ms);
  lane.lane.reset();
  const auto done = lane.recorder.done();
  ASSERT_THAT(done, SizeIs(2));
  for (const Operation& operation : done) {
    EXPECT_EQ(operation.layer, Layer::instrument);
    EXPECT_EQ(operation.outcome, operation.sent_after ? Outcome::in_doubt : Outcome::failed);
  }
}

TEST(SessionsFor, AreTwoAtLeastAndBounded) {
  EXPECT_EQ(sessions_for(1), 2);
  EXPECT_EQ(sessions_for(50), 2);
  EXPECT_EQ(sessions_for(100), 4);
  EXPECT_EQ(sessions_for(1'000), 40);
  EXPECT_EQ(sessions_for(100'000), 40);
}

}  // namespace
}  // namespace pgfiredrill
