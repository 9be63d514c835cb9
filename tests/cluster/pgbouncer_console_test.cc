#include "cluster/pgbouncer_console.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scripted_postgres.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedPostgres;
using testing::wire_error;
using testing::wire_rows;

ConnectParameters parameters_for(const ScriptedPostgres& server) {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = server.port();
  parameters.database = "app";
  parameters.user = "postgres";
  parameters.password = Secret{"example-password"};
  parameters.sslmode = "disable";
  return parameters;
}

PgbouncerConsole console_on(const ScriptedPostgres& server) {
  auto console = PgbouncerConsole::connect(parameters_for(server), "pg1");
  EXPECT_TRUE(console) << console.error().message();
  return std::move(console).value();
}

/// As PgBouncer 1.24 answers.
std::optional<std::string> pgbouncer(const std::string& sql) {
  if (sql == "SHOW VERSION") return wire_rows({"version"}, {{"PgBouncer 1.24.1"}});
  if (sql == "SHOW CONFIG") {
    return wire_rows({"key", "value", "default", "changeable"}, {{"server_login_retry", "15", "15", "yes"},
                                                                 {"auth_dbname", std::nullopt, "", "yes"},
                                                                 {"pool_mode", "session", "session", "yes"}});
  }
  if (sql == "SHOW DATABASES") {
    return wire_rows({"name", "host", "port", "paused"}, {{"postgres", "/var/run/postgresql", "5432", "0"}});
  }
  if (sql == "SHOW POOLS") return wire_rows({"database", "user"}, {});
  return wire_error("08P01", "invalid command '" + sql + "', use SHOW HELP;");
}

TEST(PgbouncerConsole, ShowsWhatItIsAsked) {
  ScriptedPostgres server{pgbouncer, "1.24.1/bouncer"};
  PgbouncerConsole console = console_on(server);
  EXPECT_EQ(console.version().value(), "1.24.1");
  const auto config = console.config().value();
  EXPECT_EQ(config.at("server_login_retry"), "15");
  EXPECT_EQ(config.at("pool_mode"), "session");
  EXPECT_EQ(config.at("auth_dbname"), "");
  const auto databases = console.databases().value();
  ASSERT_EQ(databases.size(), 1U);
  EXPECT_EQ(databases[0].at("host"), "/var/run/postgresql");
  EXPECT_TRUE(console.pools().value().empty());
  // Nothing but SHOW, in the simple protocol: the console knows no other.
  EXPECT_THAT(server.statements(),
              ElementsAre("SHOW VERSION", "SHOW CONFIG", "SHOW DATABASES", "SHOW POOLS"));
}

TEST(PgbouncerConsole, StaysUsableAfterItsOwnNo) {
  const ScriptedPostgres server{[](const std::string& sql) -> std::optional<std::string> {
    if (sql == "SHOW CONFIG") return wire_error("08P01", "admin access needed: not allowed");
    return pgbouncer(sql);
  }};
  PgbouncerConsole console = console_on(server);
  const auto config = console.config();
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().kind, FailureKind::denied);
  EXPECT_TRUE(config.error().connection_usable);
  EXPECT_EQ(console.version().value(), "1.24.1");
}

TEST(PgbouncerConsole, DoesNotWaitForAFrozenConsole) {
  const ScriptedPostgres server{[](const std::string&) { return std::nullopt; }};
  PgbouncerConsole console = console_on(server);
  const auto start = steady_clock::now();
  const auto config = console.config();
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().kind, FailureKind::timed_out);
  EXPECT_FALSE(config.error().connection_usable);
  EXPECT_LT(steady_clock::now() - start, seconds{5});
  // What might still come would be the answer to another question.
  const auto later = steady_clock::now();
  EXPECT_EQ(console.version().error().kind, FailureKind::failed);
  EXPECT_LT(steady_clock::now() - later, seconds{1});
}

TEST(PgbouncerConsole, RefusesAnAnswerWithoutEnd) {
  const ScriptedPostgres server{[](const std::string&) {
    const std::vector<std::optional<std::string>> row{std::string(1000, 'k'), std::string(1000, 'v')};
    return wire_rows({"key", "value"}, std::vector<std::vector<std::optional<std::string>>>(20'000, row));
  }};
  PgbouncerConsole console = console_on(server);
  const auto config = console.config();
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().kind, FailureKind::malformed);
}

TEST(PgbouncerConsole, RefusesTheAnswersOfAnOrdinaryServer) {
  const ScriptedPostgres server{[](const std::string& sql) -> std::optional<std::string> {
    if (sql == "SHOW VERSION") return wire_rows({"setting"}, {{"17"}});
    if (sql == "SHOW CONFIG") return wire_rows({"name"}, {{"x"}});
    return std::string{"G"} + std::string{"\0\0\0\7\0\0\0", 7};  // CopyInResponse
  }};
  PgbouncerConsole console = console_on(server);
  EXPECT_EQ(console.version().error().kind, FailureKind::malformed);
  EXPECT_EQ(console.config().error().kind, FailureKind::malformed);
  EXPECT_EQ(console.pools().error().kind, FailureKind::malformed);
}

TEST(PgbouncerConsole, SaysThatItWasCutOff) {
  // With the half message that was on its way before.
  const ScriptedPostgres server{
      [](const std::string&) { return wire_error("08P01", "server shutting down", "FATAL") + "T"; }};
  PgbouncerConsole console = console_on(server);
  const auto version = console.version();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().kind, FailureKind::failed);
  EXPECT_FALSE(version.error().connection_usable);
}

TEST(PgbouncerConsole, NamesTheConsoleWhereTheLoginFails) {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = testing::closed_port();
  parameters.user = "postgres";
  const auto console = PgbouncerConsole::connect(parameters, "pg1");
  ASSERT_FALSE(console);
  EXPECT_THAT(console.error().message(), HasSubstr("cannot log in to the PgBouncer console on pg1"));
}

}  // namespace
}  // namespace pgfiredrill
