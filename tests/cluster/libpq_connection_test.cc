#include "cluster/libpq_connection.h"

#include <atomic>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <sys/socket.h>

#include "tests/support/loopback_server.h"
#include "tests/support/scripted_postgres.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using testing::LoopbackServer;
using testing::ScriptedPostgres;

ConnectParameters parameters_for(int port, const std::string& sslmode = "disable") {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = port;
  parameters.user = "postgres";
  parameters.password = Secret{"example-password"};
  parameters.sslmode = sslmode;
  parameters.connect_timeout = seconds{1};
  return parameters;
}

Failure failure_of(const ConnectParameters& parameters) {
  const auto connection = open_libpq_connection(parameters, "log in", "pg1");
  EXPECT_FALSE(connection);
  return connection ? Failure{} : connection.error();
}

void drain(int socket) {
  char bytes[256];
  while (::recv(socket, bytes, sizeof bytes, 0) > 0) {
  }
}

TEST(LibpqConnection, IsLoggedIn) {
  const ScriptedPostgres server{[](const std::string&) { return testing::wire_done("SELECT 0"); }};
  const auto connection = open_libpq_connection(parameters_for(server.port()), "log in", "pg1");
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(PQstatus(connection->get()), CONNECTION_OK);
  EXPECT_EQ(PQserverVersion(connection->get()), 170006);
}

TEST(LibpqConnection, IsRefusedWhereNobodyListens) {
  EXPECT_EQ(failure_of(parameters_for(testing::closed_port())).kind, FailureKind::unreachable);
}

// A frozen server: its kernel takes the connection, and nobody ever answers.
TEST(LibpqConnection, IsNotWaitedForPastItsDeadline) {
  for (const char* sslmode : {"disable", "require"}) {
    const LoopbackServer silent{drain};
    const auto start = steady_clock::now();
    const Failure failure = failure_of(parameters_for(silent.port(), sslmode));
    const auto took = steady_clock::now() - start;
    EXPECT_EQ(failure.kind, FailureKind::timed_out);
    EXPECT_THAT(failure.came_back, HasSubstr("the connection was accepted")) << sslmode;
    EXPECT_GE(took, seconds{1});
    EXPECT_LT(took, seconds{3});
  }
}

// Each byte would start a new wait where only reads have a limit.
TEST(LibpqConnection, IsNotKeptWaitingByATrickle) {
  std::atomic<bool> stop = false;
  const LoopbackServer trickling{[&](int socket) {
    const char header[] = {'R', 0, 0, 0, 127};
    for (std::size_t i = 0; i < 100 && !stop; ++i) {
      const char byte = i < sizeof header ? header[i] : 'x';
      if (::send(socket, &byte, 1, MSG_NOSIGNAL) != 1) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }};
  const auto start = steady_clock::now();
  const Failure failure = failure_of(parameters_for(trickling.port()));
  stop = true;
  EXPECT_NE(failure.kind, FailureKind::denied);
  EXPECT_LT(steady_clock::now() - start, seconds{3});
}

TEST(LibpqConnection, TellsOtherProtocolsFromPostgresql) {
  const LoopbackServer http{[](int socket) {
    testing::send_text(socket, "HTTP/1.1 400 Bad Request\r\n\r\n");
    drain(socket);
  }};
  EXPECT_EQ(failure_of(parameters_for(http.port())).kind, FailureKind::malformed);
  EXPECT_EQ(failure_of(parameters_for(http.port(), "require")).kind, FailureKind::malformed);
}

TEST(LibpqConnection, SaysThatABalancerMayBeEmpty) {
  const LoopbackServer closing{[](int) {}};
  const Failure failure = failure_of(parameters_for(closing.port()));
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_THAT(failure.hint, HasSubstr("balancer"));
}

TEST(LibpqConnection, ReadsTheSqlstateOfARefusal) {
  const LoopbackServer refusing{[](int socket) {
    const std::string error = testing::wire_error("28P01", "Passwort falsch", "FATAL");
    ::send(socket, error.data(), error.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    drain(socket);
  }};
  EXPECT_EQ(failure_of(parameters_for(refusing.port())).kind, FailureKind::denied);
}

TEST(LibpqConnection, TriesNothingWithNonsense) {
  const auto kind_of = [](auto change) {
    ConnectParameters parameters = parameters_for(5432);
    change(parameters);
    return failure_of(parameters).kind;
  };
  EXPECT_EQ(kind_of([](auto& p) { p.host = ""; }), FailureKind::malformed);
  EXPECT_EQ(kind_of([](auto& p) { p.user = ""; }), FailureKind::malformed);
  EXPECT_EQ(kind_of([](auto& p) { p.host = "10.77.0.11,10.77.0.12"; }), FailureKind::malformed);
  EXPECT_EQ(kind_of([](auto& p) { p.user = std::string{"postgres\0x", 10}; }), FailureKind::malformed);
  EXPECT_EQ(kind_of([](auto& p) { p.password = Secret{std::string{"a\0b", 3}}; }), FailureKind::malformed);
  EXPECT_EQ(kind_of([](auto& p) { p.port = 0; }), FailureKind::malformed);
  EXPECT_EQ(kind_of([](auto& p) { p.port = 65536; }), FailureKind::malformed);
  EXPECT_EQ(kind_of([](auto& p) { p.sslmode = "verify-full"; }), FailureKind::malformed);
}

}  // namespace
}  // namespace pgfiredrill
