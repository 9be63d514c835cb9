#include "drivers/application_client.h"

#include <mutex>

#include <gmock/gmock.h>
#include <poll.h>

#include "cluster/libpq_connection.h"
#include "drivers/application_clients.h"
#include "tests/drivers/crowd_postgres.h"
#include "tests/drivers/recording_fakes.h"
#include "tests/support/loopback_server.h"
#include "tests/support/scripted_postgres.h"
#include "tests/support/simulated_clock.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::CrowdPostgres;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeepingRecorder;
using testing::SimulatedClock;
using ::testing::SizeIs;
using testing::wire_canary_answer;
using testing::wire_done;
using testing::wire_error;

bool is_canary(const std::string& sql) {
  return sql.find("pgfiredrill.canary") != std::string::npos;
}

std::optional<std::string> primary(const std::string& sql) {
  if (sql.find("pg_sleep") != std::string::npos) return std::nullopt;
  return is_canary(sql) ? wire_canary_answer("7") : wire_done(sql);
}

ClientSpec spec(ClientKind kind, int port = 0) {
  return {.kind = kind,
          .path = {.entrypoint = "pg1:5000", .addresses = {{"127.0.0.1", port}}},
          .row = 91,
          .wakes_after = 5s};
}

/// One session, stepped by hand: the clock stands still unless a test moves it.
class Held {
 public:
  explicit Held(ClientKind kind, CrowdPostgres::Answer answer = primary)
      : server{[this, answer](const std::string& sql) {
          {
            const std::lock_guard lock{mutex_};
            statements_.push_back(sql);
          }
          return answer(sql);
        }},
        client{4, spec(kind), sockets_, journal_, clock} {
    journal_.set_repeat(1, 2);
    client.hold(open());
    for (int i = 0; i < 300 && !client.prepared(); ++i) serve();
  }

  void advance(nanoseconds by) {
    clock.advance(by);
    client.tick(clock.monotonic());
  }
  /// Lets the socket speak until so many answers are recorded.
  std::vector<Event> await_answers(std::size_t count) {
    for (int i = 0; i < 300 && answers().size() < count; ++i) serve();
    EXPECT_THAT(answers(), SizeIs(count));
    return answers();
  }
  [[nodiscard]] std::vector<Event> answers() const { return recorder.events(event::kClientAnswer); }
  [[nodiscard]] std::vector<std::string> statements() const {
    const std::lock_guard lock{mutex_};
    return statements_;
  }

 private:
  void serve() {
    client.tick(clock.monotonic());
    pollfd ready{.fd = sockets_.descriptor(), .events = POLLIN, .revents = 0};
    (void)::poll(&ready, 1, 10);
    sockets_.dispatch();
  }
  SessionExchange open() const {
    ConnectParameters parameters;
    parameters.host = "127.0.0.1";
    parameters.port = server.port();
    parameters.user = "traffic";
    parameters.sslmode = "disable";
    auto connection = open_libpq_connection(parameters, "log in", "test");
    EXPECT_TRUE(connection);
    return SessionExchange{std::move(*connection)};
  }

  mutable std::mutex mutex_;
  std::vector<std::string> statements_;
  SocketSet sockets_;

 public:
  SimulatedClock clock;
  KeepingRecorder recorder;
  CrowdPostgres server;

 private:
  ClientJournal journal_{recorder, Secret{"example-password"}};

 public:
  ApplicationClient client;
};

std::vector<std::string> names(const std::vector<Event>& answers) {
  std::vector<std::string> names;
  for (const Event& answer : answers) names.push_back(answer.text("statement").value_or(""));
  return names;
}

TEST(ApplicationClient, TellsWhereItWasOpened) {
  Held held{ClientKind::idle};
  const auto opened = held.recorder.events(event::kClientOpened);
  ASSERT_THAT(opened, SizeIs(1));
  EXPECT_EQ(opened[0].integer("client"), 4);
  EXPECT_EQ(opened[0].integer("drill"), 1);
  EXPECT_EQ(opened[0].integer("repeat"), 2);
  EXPECT_EQ(opened[0].text("kind"), "idle");
  EXPECT_EQ(opened[0].text("entrypoint"), "pg1:5000");
  EXPECT_EQ(opened[0].text("postmaster_start"), "1700000000000001");
}

TEST(ApplicationClient, AnIdleOneSleepsUntilItWakesAfterTheFaultThenWritesEachSecond) {
  Held held{ClientKind::idle};
  held.advance(60s);
  EXPECT_THAT(held.answers(), IsEmpty());
  held.client.fault_sent(held.clock.monotonic());
  held.advance(4999ms);
  EXPECT_THAT(held.statements(), SizeIs(1)) << "the one that opened it";
  held.advance(1ms);
  held.await_answers(1);
  held.advance(999ms);
  EXPECT_THAT(held.statements(), SizeIs(2));
  held.advance(1ms);
  const auto answers = held.await_answers(2);
  EXPECT_THAT(names(answers), ElementsAre("wake", "next"));
  EXPECT_EQ(answers[0].flag("ok"), true);
  EXPECT_EQ(answers[0].flag("in_recovery"), false);
}

// An application's pool keeps such a session and gives it out again.
TEST(ApplicationClient, AnIdleOneGoesOnAfterAReadOnlyError) {
  Held held{ClientKind::idle, [first = true](const std::string&) mutable -> std::optional<std::string> {
              if (std::exchange(first, false)) return wire_canary_answer("7");
              return wire_error("25006", "cannot execute UPDATE in a read-only transaction");
            }};
  held.client.fault_sent(held.clock.monotonic());
  for (std::size_t i = 1; i <= 3; ++i) {
    held.advance(5s);
    const auto answer = held.await_answers(i).back();
    EXPECT_EQ(answer.flag("ok"), false);
    EXPECT_EQ(answer.text("class"), "25006");
    EXPECT_EQ(answer.flag("broken"), false);
    EXPECT_THAT(answer.text("text").value_or(""), HasSubstr("read-only transaction"));
  }
}

TEST(ApplicationClient, ASessionThatWasCutIsBrokenAndNotReplaced) {
  Held held{ClientKind::idle};
  held.client.fault_sent(held.clock.monotonic());
  held.server.cut_all();
  held.advance(5s);
  const auto answer = held.await_answers(1).front();
  EXPECT_EQ(answer.flag("ok"), false);
  EXPECT_EQ(answer.flag("broken"), true);
  held.advance(10s);
  held.client.close();
  EXPECT_THAT(held.answers(), SizeIs(1));
  EXPECT_THAT(held.recorder.events(event::kClientClosed), IsEmpty()) << "it was gone before";
}

// As drivers do by default: no deadline of its own.
TEST(ApplicationClient, WhatIsNotAnsweredStaysAsked) {
  Held held{ClientKind::idle, [first = true](const std::string&) mutable -> std::optional<std::string> {
              if (std::exchange(first, false)) return wire_canary_answer("7");
              return std::nullopt;
            }};
  held.client.fault_sent(held.clock.monotonic());
  held.advance(5s);
  for (int i = 0; i < 40; ++i) held.advance(1s);
  EXPECT_THAT(held.answers(), IsEmpty());
  held.client.close();
  const auto closed = held.recorder.events(event::kClientClosed);
  ASSERT_THAT(closed, SizeIs(1));
  EXPECT_NEAR(*closed[0].number("waiting_s"), 40, 1e-6);
}

TEST(ApplicationClient, KeepsATransactionOpenAndCommitsAtTheEnd) {
  Held held{ClientKind::in_transaction};
  held.advance(1s);
  held.await_answers(1);
  held.advance(1s);
  held.await_answers(2);
  held.client.end_transaction();
  EXPECT_THAT(names(held.await_answers(3)), ElementsAre("next", "next", "commit"));
  EXPECT_TRUE(held.client.ended());
  const auto statements = held.statements();
  EXPECT_THAT(statements,
              ElementsAre("BEGIN", HasSubstr("canary"), HasSubstr("canary"), HasSubstr("canary"), "COMMIT"));
  held.client.close();
  EXPECT_FALSE(held.recorder.events(event::kClientClosed).at(0).number("waiting_s"));
}

TEST(ApplicationClient, ACommitThatWasAnsweredByRollbackIsNone) {
  Held held{ClientKind::in_transaction, [](const std::string& sql) -> std::optional<std::string> {
              return sql == "COMMIT" ? wire_done("ROLLBACK") : primary(sql);
            }};
  held.client.end_transaction();
  const auto answer = held.await_answers(1).front();
  EXPECT_EQ(answer.flag("ok"), false);
  EXPECT_EQ(answer.text("class"), "wrong_tag");
}

TEST(ApplicationClient, WaitsForALongQueryWithoutABound) {
  Held held{ClientKind::long_query};
  held.advance(1s);
  held.advance(100s);
  held.client.end_transaction();
  EXPECT_TRUE(held.client.ended()) << "it has none";
  held.client.close();
  EXPECT_NEAR(*held.recorder.events(event::kClientClosed).at(0).number("waiting_s"), 100, 1.1);
  EXPECT_THAT(held.answers(), IsEmpty());
}

TEST(ApplicationClient, WhatCannotBeHeldIsARemark) {
  Held held{ClientKind::in_transaction,
            [](const std::string&) { return wire_error("42501", "not with example-password"); }};
  EXPECT_TRUE(held.client.prepared());
  EXPECT_THAT(held.recorder.events(event::kClientOpened), IsEmpty());
  const auto remarks = held.recorder.events(event::kRemark);
  ASSERT_THAT(remarks, SizeIs(1));
  EXPECT_THAT(remarks[0].text("text").value_or(""), HasSubstr("in_transaction could be held on pg1:5000"));
  EXPECT_THAT(remarks[0].text("text").value_or(""), ::testing::Not(HasSubstr("example-password")));
  held.client.close();
  EXPECT_THAT(held.recorder.events(event::kClientClosed), IsEmpty());
}

TEST(ApplicationClients, HoldsThemAcrossAFaultOnAThreadOfItsOwn) {
  CrowdPostgres server{primary};
  SystemClock clock;
  KeepingRecorder recorder;
  ApplicationClientsOptions options{
      .clients = {},
      .access = {
          .database = "d", .user = "traffic", .password = Secret{"example-password"}, .sslmode = "disable"}};
  for (const ClientKind kind : {ClientKind::idle, ClientKind::in_transaction, ClientKind::long_query}) {
    options.clients.push_back(spec(kind, server.port()));
    options.clients.back().wakes_after = 1ms;
  }
  options.clients.push_back(spec(ClientKind::idle, testing::closed_port()));
  const auto clients = ApplicationClients::create(std::move(options), recorder, clock);
  clients->open(0, 0, 5s);
  EXPECT_THAT(recorder.events(event::kClientOpened), SizeIs(3));
  EXPECT_THAT(recorder.events(event::kRemark), SizeIs(1)) << "nobody listens at the fourth one's";
  clients->fault_sent(clock.monotonic());
  for (int i = 0; i < 500 && recorder.events(event::kClientAnswer).empty(); ++i) clock.sleep_for(10ms);
  clients->finish();
  clients->finish();
  EXPECT_THAT(recorder.events(event::kClientClosed), SizeIs(3));
  const auto said = names(recorder.events(event::kClientAnswer));
  EXPECT_THAT(said, ::testing::Contains("wake"));
  EXPECT_THAT(said, ::testing::Contains("commit"));

  clients->open(0, 1, 5s);
  EXPECT_EQ(recorder.events(event::kClientOpened).back().integer("repeat"), 1);
  EXPECT_GT(*recorder.events(event::kClientOpened).back().integer("client"), 4)
      << "numbers are never used again";
}

}  // namespace
}  // namespace pgfiredrill
