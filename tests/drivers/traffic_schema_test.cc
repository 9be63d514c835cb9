#include "drivers/traffic_schema.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "tests/drivers/binary_ledger.h"
#include "tests/support/scripted_postgres.h"

namespace pgfiredrill {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScriptedPostgres;

ConnectParameters superuser_at(int port) {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = port;
  parameters.user = "postgres";
  parameters.sslmode = "disable";
  return parameters;
}

TEST(TrafficSchema, AccessIsNewEachTime) {
  const auto one = make_traffic_access();
  EXPECT_EQ(one.password.reveal().size(), 64u);
  EXPECT_FALSE(one.password == make_traffic_access().password);
}

TEST(TrafficSchema, ShowsItsStatementsWithoutAPassword) {
  const auto statements = traffic_schema_statements();
  EXPECT_THAT(statements, Contains(HasSubstr("CREATE DATABASE pgfiredrill")));
  EXPECT_THAT(statements, Contains(HasSubstr("PASSWORD '***'")));
  for (const auto& statement : statements) EXPECT_EQ(statement.find('\n'), std::string::npos);
}

TEST(TrafficSchema, TheLedgerCanHoldANumberTwice) {
  for (const auto& statement : traffic_schema_statements()) {
    if (statement.find("pgfiredrill.ledger") == std::string::npos) continue;
    EXPECT_THAT(statement, Not(HasSubstr("UNIQUE")));
    EXPECT_THAT(statement, Not(HasSubstr("PRIMARY KEY")));
  }
}

// Somebody's own database of that name is neither used nor, when the run ends, dropped.
TEST(TrafficSchema, TouchesNothingWhereTheNameIsTaken) {
  const ScriptedPostgres server{[](const std::string& sql) {
    if (sql.find("pg_database") != std::string::npos)
      return testing::wire_rows({"name"}, {{"database pgfiredrill"}});
    return testing::wire_done("SET");
  }};
  const auto created = create_traffic_schema(superuser_at(server.port()), make_traffic_access(), 1);
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().came_back, HasSubstr("database pgfiredrill is there already"));
  for (const auto& statement : server.statements()) {
    EXPECT_THAT(statement, Not(HasSubstr("DROP")));
    EXPECT_THAT(statement, Not(HasSubstr("CREATE")));
  }
}

TEST(TrafficSchema, RemovesWhatItHalfMade) {
  const ScriptedPostgres server{[](const std::string& sql) -> std::string {
    if (sql.find("pg_database") != std::string::npos) return testing::wire_rows({"name"}, {});
    if (sql.find("server_version_num") != std::string::npos)
      return testing::wire_rows({"a", "b", "c"}, {{"f", "1", "170006"}});
    if (sql.starts_with("CREATE DATABASE")) return testing::wire_error("53100", "no space left");
    return testing::wire_done("DONE");
  }};
  const auto access = make_traffic_access();
  const auto created = create_traffic_schema(superuser_at(server.port()), access, 1);
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().came_back, HasSubstr("no space left"));
  const auto statements = server.statements();
  EXPECT_THAT(statements, Contains(HasSubstr("DROP ROLE IF EXISTS pgfiredrill_traffic")));
  EXPECT_THAT(statements, Contains(HasSubstr("DROP DATABASE IF EXISTS pgfiredrill WITH (FORCE)")));
  for (const auto& statement : statements) EXPECT_THAT(statement, Not(HasSubstr(access.password.reveal())));
}

TEST(TakeFence, IsTheLeadersOnly) {
  const ScriptedPostgres standby{[](const std::string& sql) -> std::string {
    if (sql.find("server_version_num") != std::string::npos)
      return testing::wire_rows({"a", "b", "c"}, {{"t", "1", "170006"}});
    return testing::wire_done("DONE");
  }};
  EXPECT_FALSE(take_fence(superuser_at(standby.port())));
}

/// A server at a position, with a ledger: 0 to 10 of stream 4, the last one twice.
ScriptedPostgres server_at(const char* lsn, const char* timeline) {
  return ScriptedPostgres{[=](const std::string& sql) -> std::string {
    if (sql.find("pg_last_wal_replay_lsn") != std::string::npos)
      return testing::wire_rows({"lsn", "timeline"}, {{lsn, timeline}});
    if (sql.find("pgfiredrill.ledger") != std::string::npos) {
      std::vector<testing::LedgerRow> rows{{4, 10}};
      for (std::uint64_t number = 0; number <= 10; ++number) rows.push_back({4, number});
      return testing::wire_copy_out(2, {testing::binary_ledger(rows)}) + testing::wire_done("COPY 12");
    }
    return testing::wire_done("DONE");
  }};
}

TEST(ReadLedger, WaitsForTheFenceOnItsTimeline) {
  for (const auto& [lsn, timeline] : {std::pair{"0/2FFFFFF", "5"}, {"0/3000000", "4"}, {"1/0", "6"}}) {
    const auto server = server_at(lsn, timeline);
    const auto read = read_ledger(superuser_at(server.port()), {.lsn = "0/3000000", .timeline = 5}, 4, 7,
                                  std::chrono::milliseconds{120});
    ASSERT_FALSE(read) << lsn << ' ' << timeline;
    EXPECT_EQ(read.error().kind, FailureKind::timed_out);
    EXPECT_THAT(read.error().came_back, HasSubstr(lsn));
  }
}

TEST(ReadLedger, AsksForItsStreamsOnly) {
  const auto server = server_at("0/3000000", "5");
  ASSERT_TRUE(read_ledger(superuser_at(server.port()), {.lsn = "0/3000000", .timeline = 5}, 4, 7,
                          std::chrono::seconds{2}));
  EXPECT_THAT(server.statements(), Contains(HasSubstr("WHERE stream BETWEEN 4 AND 7")));
}

/// Half a ledger would make writes lost that are there.
TEST(ReadLedger, TakesNoCopyThatEndsEarly) {
  for (const bool by_error : {false, true}) {
    const ScriptedPostgres server{[=](const std::string& sql) -> std::string {
      if (sql.find("pg_last_wal_replay_lsn") != std::string::npos)
        return testing::wire_rows({"lsn", "timeline"}, {{"0/3000000", "5"}});
      if (sql.find("pgfiredrill.ledger") == std::string::npos) return testing::wire_done("DONE");
      const std::string whole = testing::binary_ledger({{4, 1}, {4, 2}});
      const std::string cut = testing::wire_copy_out(2, {whole.substr(0, whole.size() - 2)});
      return by_error ? cut.substr(0, cut.size() - 5) + testing::wire_error("53200", "out of memory")
                      : cut + testing::wire_done("COPY 2");
    }};
    const auto read = read_ledger(superuser_at(server.port()), {.lsn = "0/3000000", .timeline = 5}, 4, 7,
                                  std::chrono::seconds{2});
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message(), HasSubstr(by_error ? "53200 out of memory" : "without its end"));
  }
}

TEST(ReadLedger, CountsEveryCopy) {
  const auto server = server_at("0/3000000", "5");
  const auto read = read_ledger(superuser_at(server.port()), {.lsn = "0/3000000", .timeline = 5}, 4, 7,
                                std::chrono::seconds{2});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->rows, 12u);
  EXPECT_EQ(read->timeline, 5u);
  EXPECT_EQ(read->replay_lsn, "0/3000000");
  EXPECT_THAT(read->runs, ::testing::ElementsAre(NumberRun{4, 0, 9, 1}, NumberRun{4, 10, 10, 2}));
}

}  // namespace
}  // namespace pgfiredrill
