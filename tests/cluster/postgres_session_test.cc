#include "cluster/postgres_session.h"

#include <future>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>

#include "tests/support/loopback_server.h"
#include "tests/support/scripted_postgres.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LoopbackServer;
using ::testing::Not;
using testing::ScriptedPostgres;

ConnectParameters parameters_for(int port) {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = port;
  parameters.user = "traffic";
  parameters.password = Secret{"example-password"};
  parameters.sslmode = "disable";
  return parameters;
}

LoginEvidence log_in(PostgresSession& session, boost::asio::io_context& loop,
                     const ConnectParameters& parameters, std::chrono::nanoseconds limit = 5s) {
  std::optional<LoginEvidence> result;
  session.log_in(parameters, limit, [&](const LoginEvidence& evidence) { result = evidence; });
  EXPECT_FALSE(result) << "a handler is not called from within the call";
  loop.restart();
  loop.run();
  EXPECT_TRUE(result);
  return result.value_or(LoginEvidence{});
}

StatementEvidence ask(PostgresSession& session, boost::asio::io_context& loop, const Statement& statement,
                      std::chrono::nanoseconds limit = 5s) {
  std::optional<StatementEvidence> result;
  session.execute(statement, limit, [&](StatementEvidence evidence) { result = std::move(evidence); });
  EXPECT_FALSE(result) << "a handler is not called from within the call";
  loop.restart();
  loop.run();
  EXPECT_TRUE(result);
  return result.value_or(StatementEvidence{});
}

/// What came of one statement that is answered so.
StatementEvidence evidence_of(std::optional<std::string> answer, std::chrono::nanoseconds limit = 5s) {
  const ScriptedPostgres server{[&](const std::string&) { return answer; }};
  boost::asio::io_context loop;
  PostgresSession session{loop};
  EXPECT_TRUE(log_in(session, loop, parameters_for(server.port())).ready());
  return ask(session, loop, {.sql = "INSERT", .values = {"1"}}, limit);
}

void drain(int socket) {
  char bytes[256];
  while (::recv(socket, bytes, sizeof bytes, 0) > 0) {
  }
}

TEST(PostgresSession, BringsTheWholeAnswer) {
  const auto evidence = evidence_of(testing::wire_rows({"a", "b"}, {{"1", std::nullopt}}));
  EXPECT_TRUE(evidence.sent);
  EXPECT_TRUE(evidence.ended_cleanly);
  EXPECT_EQ(evidence.command_tag, "SELECT 1");
  EXPECT_THAT(evidence.rows, ElementsAre(Row{"1", std::nullopt}));
  EXPECT_FALSE(evidence.error);
}

TEST(PostgresSession, AsksOneAfterTheOther) {
  const ScriptedPostgres server{[](const std::string& sql) { return testing::wire_done(sql + " 7"); }};
  boost::asio::io_context loop;
  PostgresSession session{loop};
  ASSERT_TRUE(log_in(session, loop, parameters_for(server.port())).ready());
  EXPECT_EQ(ask(session, loop, {.sql = "ONE"}).command_tag, "ONE 7");
  EXPECT_EQ(ask(session, loop, {.sql = "TWO"}).command_tag, "TWO 7");
}

// A backend that is terminated while it waits for its standby has already said that it is done.
TEST(PostgresSession, ASuccessBeforeAFatalHasNotEnded) {
  const auto evidence =
      evidence_of(testing::wire_done("INSERT 0 1") + testing::wire_error("57P01", "terminating", "FATAL"));
  EXPECT_EQ(evidence.command_tag, "INSERT 0 1");
  EXPECT_FALSE(evidence.ended_cleanly);
  ASSERT_TRUE(evidence.error);
  EXPECT_EQ(evidence.error->sqlstate, "57P01");
  EXPECT_TRUE(evidence.error->ends_session());
}

TEST(PostgresSession, AnErrorLeavesTheSessionUsable) {
  const auto evidence = evidence_of(testing::wire_error("23505", "duplicate"));
  EXPECT_TRUE(evidence.ended_cleanly);
  ASSERT_TRUE(evidence.error);
  EXPECT_FALSE(evidence.error->ends_session());
}

TEST(PostgresSession, SilenceEndsWithTheDeadline) {
  const auto begun = std::chrono::steady_clock::now();
  const auto evidence = evidence_of(std::nullopt, 200ms);
  EXPECT_TRUE(evidence.deadline_passed);
  EXPECT_TRUE(evidence.sent);
  EXPECT_FALSE(evidence.ended_cleanly);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 200ms);
}

TEST(PostgresSession, HalfAnAnswerIsNone) {
  const LoopbackServer server{[](int socket) {
    char bytes[512];
    (void)!::recv(socket, bytes, sizeof bytes, 0);
    const char login[] = "R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
    (void)!::send(socket, login, sizeof login - 1, MSG_NOSIGNAL);
    (void)!::recv(socket, bytes, sizeof bytes, 0);
    const char half[] =
        "1\0\0\0\x04"
        "2\0\0\0\x04"
        "C\0\0\0\x0fINSER";
    (void)!::send(socket, half, sizeof half - 1, MSG_NOSIGNAL);
  }};
  boost::asio::io_context loop;
  PostgresSession session{loop};
  ASSERT_TRUE(log_in(session, loop, parameters_for(server.port())).ready());
  const auto evidence = ask(session, loop, {.sql = "INSERT"});
  EXPECT_TRUE(evidence.sent);
  EXPECT_EQ(evidence.command_tag, "");
  EXPECT_FALSE(evidence.ended_cleanly);
  EXPECT_THAT(evidence.transport_text, HasSubstr("closed the connection"));
}

TEST(PostgresSession, TellsARefusalFromSilence) {
  boost::asio::io_context loop;
  PostgresSession session{loop};
  const auto evidence = log_in(session, loop, parameters_for(testing::closed_port()));
  EXPECT_FALSE(evidence.ready());
  EXPECT_FALSE(evidence.deadline_passed);
  EXPECT_EQ(evidence.stage, LoginStage::connecting);
  EXPECT_THAT(evidence.text, HasSubstr("Connection refused"));
}

TEST(PostgresSession, TheDeadlineHoldsForTheWholeLogin) {
  for (const char* sslmode : {"disable", "require"}) {
    const LoopbackServer silent{drain};
    boost::asio::io_context loop;
    PostgresSession session{loop};
    auto parameters = parameters_for(silent.port());
    parameters.sslmode = sslmode;
    const auto begun = std::chrono::steady_clock::now();
    const auto evidence = log_in(session, loop, parameters, 200ms);
    EXPECT_TRUE(evidence.deadline_passed);
    EXPECT_GT(evidence.stage, LoginStage::connecting) << "its kernel took the connection";
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s);
  }
}

TEST(PostgresSession, KeepsTheSqlstateOfARefusedLogin) {
  const LoopbackServer server{[](int socket) {
    char bytes[512];
    (void)!::recv(socket, bytes, sizeof bytes, 0);
    const std::string error = testing::wire_error("57P03", "the database system is starting up", "FATAL");
    (void)!::send(socket, error.data(), error.size(), MSG_NOSIGNAL);
  }};
  boost::asio::io_context loop;
  PostgresSession session{loop};
  const auto evidence = log_in(session, loop, parameters_for(server.port()));
  EXPECT_EQ(evidence.sqlstate, "57P03");
  EXPECT_EQ(evidence.stage, LoginStage::authenticating);
}

// libpq closes its socket and opens one with the same number when a name has another address: what watched
// the first would wait for good.
TEST(PostgresSession, FollowsASocketThatIsReplacedByOneWithItsNumber) {
  const ScriptedPostgres server{[](const std::string&) { return testing::wire_done("SELECT 0"); }};
  auto parameters = parameters_for(server.port());
  parameters.host = "localhost";  // ::1 refuses, where there is one; 127.0.0.1 answers
  boost::asio::io_context loop;
  PostgresSession session{loop};
  EXPECT_TRUE(log_in(session, loop, parameters, 3s).ready());
}

TEST(PostgresSession, AnotherLoopGoesOnWithIt) {
  const ScriptedPostgres server{[](const std::string&) { return testing::wire_done("INSERT 0 1"); }};
  boost::asio::io_context here;
  boost::asio::io_context there;
  PostgresSession other{there};
  {
    PostgresSession session{here};
    ASSERT_TRUE(log_in(session, here, parameters_for(server.port())).ready());
    other.attach(session.detach());
  }
  EXPECT_EQ(ask(other, there, {.sql = "INSERT"}).command_tag, "INSERT 0 1");
}

TEST(PostgresSession, HandlersDieWithIt) {
  const ScriptedPostgres server{[](const std::string&) { return testing::wire_done("INSERT 0 1"); }};
  boost::asio::io_context loop;
  bool called = false;
  {
    PostgresSession session{loop};
    session.log_in(parameters_for(server.port()), 1s, [&](const LoginEvidence&) { called = true; });
  }
  loop.run();
  EXPECT_FALSE(called);
}

TEST(PostgresSession, MayEndInItsOwnHandler) {
  const ScriptedPostgres server{[](const std::string&) { return testing::wire_done("INSERT 0 1"); }};
  boost::asio::io_context loop;
  auto session = std::make_unique<PostgresSession>(loop);
  session->log_in(parameters_for(server.port()), 1s, [&](const LoginEvidence&) { session.reset(); });
  loop.run();
  EXPECT_EQ(session, nullptr);
}

TEST(PostgresSession, NeverTellsThePassword) {
  const LoopbackServer server{[](int socket) {
    char bytes[512];
    (void)!::recv(socket, bytes, sizeof bytes, 0);
    const std::string error = testing::wire_error("28P01", "bad: example-password", "FATAL");
    (void)!::send(socket, error.data(), error.size(), MSG_NOSIGNAL);
  }};
  boost::asio::io_context loop;
  PostgresSession session{loop};
  EXPECT_THAT(log_in(session, loop, parameters_for(server.port())).text, Not(HasSubstr("example-password")));
}

/// One session logged in, without a loop.
SessionExchange exchange_with(int port) {
  auto connection = open_libpq_connection(parameters_for(port), "log in", "test");
  EXPECT_TRUE(connection);
  return connection ? SessionExchange{std::move(*connection)} : SessionExchange{};
}

void wait_readable(const SessionExchange& exchange) {
  (void)wait_for_socket(exchange.socket(), POLLIN, std::chrono::steady_clock::now() + 3s);
}

// A FATAL that arrives while nothing was asked belongs to no result.
TEST(SessionExchange, HearsTheLastWordsOfAnIdleSession) {
  std::promise<void> logged_in;
  const LoopbackServer server{[&](int socket) {
    char bytes[512];
    (void)!::recv(socket, bytes, sizeof bytes, 0);
    const std::string login{"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", 15};
    (void)!::send(socket, login.data(), login.size(), MSG_NOSIGNAL);
    logged_in.get_future().wait();
    const std::string bye = testing::wire_error("57P01", "terminating connection", "FATAL");
    (void)!::send(socket, bye.data(), bye.size(), MSG_NOSIGNAL);
  }};
  SessionExchange exchange = exchange_with(server.port());
  logged_in.set_value();
  bool lost = false;
  for (int i = 0; i < 100 && !lost; ++i) {
    wait_readable(exchange);
    lost = exchange.advance();
  }
  ASSERT_TRUE(lost);
  ASSERT_TRUE(exchange.last_words());
  EXPECT_EQ(exchange.last_words()->sqlstate, "57P01");
}

TEST(SessionExchange, KnowsWhenNothingCanHaveLeft) {
  SessionExchange nobody;
  nobody.send({.sql = "INSERT"});
  EXPECT_TRUE(nobody.advance());
  EXPECT_FALSE(nobody.take().sent);
}

TEST(SessionExchange, KeepsNoticesWithTheFunctionThatRaisedThem) {
  std::string body = "SWARNING";
  body += '\0';
  for (const char* field : {"C01000", "Mcanceling wait", "RSyncRepWaitForLSN"}) (body += field) += '\0';
  body += '\0';
  std::string notice = "N";
  const auto size = body.size() + 4;
  notice +=
      {static_cast<char>(0), static_cast<char>(0), static_cast<char>(size >> 8), static_cast<char>(size)};
  notice += body;
  const ScriptedPostgres server{
      [&](const std::string&) { return notice + testing::wire_done("INSERT 0 1"); }};
  SessionExchange exchange = exchange_with(server.port());
  exchange.send({.sql = "INSERT"});
  while (!exchange.advance()) wait_readable(exchange);
  const auto evidence = exchange.take();
  EXPECT_TRUE(evidence.ended_cleanly);
  ASSERT_EQ(evidence.notices.size(), 1u);
  EXPECT_EQ(evidence.notices.front().source_function, "SyncRepWaitForLSN");
}

}  // namespace
}  // namespace pgfiredrill
