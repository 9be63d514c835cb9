#include "cluster/postgres_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scripted_postgres.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScriptedPostgres;
using testing::wire_done;
using testing::wire_error;
using testing::wire_rows;

PostgresControl control_on(const ScriptedPostgres& server,
                           milliseconds statement_timeout = milliseconds{2'000}) {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = server.port();
  parameters.user = "postgres";
  parameters.password = Secret{"example-password"};
  parameters.sslmode = "disable";
  auto control = PostgresControl::connect(parameters, "pg1", statement_timeout);
  EXPECT_TRUE(control) << control.error().message();
  return std::move(control).value();
}

/// A server that takes every command and answers questions by `rows`.
ScriptedPostgres::Answer with(const std::string& rows) {
  return [rows](const std::string& sql) -> std::optional<std::string> {
    if (sql.starts_with("SELECT")) return rows;
    if (sql.starts_with("BEGIN")) return wire_done("BEGIN");
    if (sql == "COMMIT") return wire_done("COMMIT");
    return wire_done("SET");
  };
}

TEST(PostgresControl, LearnsWhoAnswered) {
  const ScriptedPostgres server{with(
      wire_rows({"pg_is_in_recovery", "int8", "current_setting"}, {{"t", "1772366400123456", "170006"}}))};
  const auto identity = control_on(server).identity();
  ASSERT_TRUE(identity) << identity.error().message();
  EXPECT_TRUE(identity->in_recovery);
  EXPECT_EQ(identity->postmaster_start, "1772366400123456");
  EXPECT_EQ(identity->server_version, 170006);
}

TEST(PostgresControl, RefusesAnIdentityThatIsNone) {
  for (const auto& rows : {wire_rows({"a"}, {{"t"}}), wire_rows({"a", "b", "c"}, {}),
                           wire_rows({"a", "b", "c"}, {{"t", "soon", "170006"}}),
                           wire_rows({"a", "b", "c"}, {{"t", "1", "99999999999"}}),
                           wire_rows({"a", "b", "c"}, {{std::nullopt, "1", "170006"}})}) {
    const ScriptedPostgres server{with(rows)};
    EXPECT_EQ(control_on(server).identity().error().kind, FailureKind::malformed);
  }
}

TEST(PostgresControl, ReadsSettingsThatTheServerKnows) {
  const ScriptedPostgres server{with(wire_rows({"name", "setting"}, {{"max_connections", "1000"}}))};
  PostgresControl control = control_on(server);
  EXPECT_EQ(control.settings({"max_connections", "unknown"}).value(),
            (std::map<std::string, std::string>{{"max_connections", "1000"}}));
  EXPECT_TRUE(control.settings({}).value().empty());
}

TEST(PostgresControl, GivesRowsOfTexts) {
  const ScriptedPostgres server{with(wire_rows({"a", "b"}, {{"1", std::nullopt}, {"", "x"}}))};
  const auto rows = control_on(server).query("SELECT $1", {"1"}).value();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][0], "1");
  EXPECT_EQ(rows[0][1], std::nullopt);
  EXPECT_EQ(rows[1][0], "");
}

// With transaction pooling a setting that outlived its transaction would cancel statements of applications.
TEST(PostgresControl, KeepsItsLimitsInsideAReadOnlyTransaction) {
  const ScriptedPostgres server{with(wire_rows({"a"}, {{"1"}}))};
  ASSERT_TRUE(control_on(server).query("SELECT 1"));
  const auto statements = server.statements();
  ASSERT_GE(statements.size(), 3U);
  EXPECT_THAT(statements.front(), HasSubstr("BEGIN"));
  EXPECT_THAT(statements, Contains(HasSubstr("READ ONLY")));
  EXPECT_THAT(statements, Contains("SET LOCAL statement_timeout = 2000"));
  EXPECT_EQ(statements.back(), "COMMIT");
}

TEST(PostgresControl, TellsRefusalsBySqlstate) {
  const auto failure_of = [](const std::string& state) {
    const ScriptedPostgres server{with(wire_error(state, "nein"))};
    const auto rows = control_on(server).query("SELECT 1");
    EXPECT_FALSE(rows);
    return rows ? Failure{} : rows.error();
  };
  EXPECT_EQ(failure_of("57014").kind, FailureKind::timed_out);
  EXPECT_EQ(failure_of("42501").kind, FailureKind::denied);
  const Failure failure = failure_of("42P01");
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_TRUE(failure.connection_usable);
  EXPECT_THAT(failure.message(), HasSubstr("cannot ask PostgreSQL 'SELECT 1' on pg1: 42P01 ERROR: nein"));
}

// A frozen server acknowledges packets for ever: neither its own timeout nor TCP's would end this.
TEST(PostgresControl, DoesNotWaitForAFrozenServer) {
  const ScriptedPostgres server{[](const std::string& sql) -> std::optional<std::string> {
    if (sql.starts_with("SELECT")) return std::nullopt;
    return with("")(sql);
  }};
  PostgresControl control = control_on(server, milliseconds{100});
  const auto start = steady_clock::now();
  const auto identity = control.identity();
  const auto took = steady_clock::now() - start;
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().kind, FailureKind::timed_out);
  EXPECT_FALSE(identity.error().connection_usable);
  EXPECT_GE(took, milliseconds{1'000});
  EXPECT_LT(took, milliseconds{3'000});
}

TEST(PostgresControl, NeverReconnectsByItself) {
  int logins = 0;
  const ScriptedPostgres server{[&](const std::string& sql) -> std::optional<std::string> {
    if (sql.starts_with("BEGIN")) ++logins;
    if (sql.starts_with("SELECT")) return wire_error("57P01", "terminating connection", "FATAL");
    return with("")(sql);
  }};
  PostgresControl control = control_on(server, milliseconds{100});
  EXPECT_FALSE(control.query("SELECT 1"));
  const auto again = control.query("SELECT 2");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, FailureKind::failed);
  EXPECT_FALSE(again.error().connection_usable);
  EXPECT_THAT(server.statements(), Not(Contains("SELECT 2")));
  EXPECT_EQ(logins, 1);
}

// libpqxx 6 would begin the transaction anew on a session of its own making, which a balancer may lead to
// another server.
TEST(PostgresControl, NeverReconnectsWhereTheSessionEndedBetweenQuestions) {
  int begun = 0;
  const ScriptedPostgres server{[&](const std::string& sql) -> std::optional<std::string> {
    if (sql.starts_with("BEGIN") && ++begun > 1)
      return wire_error("57P01", "terminating connection", "FATAL");
    return with(wire_rows({"a"}, {{"1"}}))(sql);
  }};
  PostgresControl control = control_on(server, milliseconds{100});
  EXPECT_TRUE(control.query("SELECT 1"));
  const auto again = control.query("SELECT 2");
  ASSERT_FALSE(again);
  EXPECT_FALSE(again.error().connection_usable);
  EXPECT_EQ(begun, 2);
}

TEST(PostgresControl, RefusesNulBytes) {
  const ScriptedPostgres server{with(wire_rows({"a"}, {{"1"}}))};
  PostgresControl control = control_on(server);
  EXPECT_EQ(control.query(std::string{"SELECT 1\0; DROP", 15}).error().kind, FailureKind::malformed);
  EXPECT_EQ(control.query("SELECT $1", {std::string{"a\0b", 3}}).error().kind, FailureKind::malformed);
}

TEST(PostgresControl, TellsAConsoleFromAServer) {
  const ScriptedPostgres server{with(wire_rows({"a"}, {{"1"}})), "1.24.1/bouncer"};
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = server.port();
  parameters.user = "postgres";
  parameters.sslmode = "disable";
  auto control = PostgresControl::connect(parameters, "pg1", milliseconds{1'000});
  // libpqxx 6 looks at the version at once, 7 does not.
  const auto identity = control ? control->identity() : Result<ServerIdentity>{control.error()};
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().kind, FailureKind::malformed);
}

}  // namespace
}  // namespace pgfiredrill
