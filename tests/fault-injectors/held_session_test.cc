#include "fault-injectors/held_session.h"

#include <atomic>

#include <gmock/gmock.h>

#include "fault-injectors/own_sessions.h"
#include "tests/fault-injectors/fake_drill.h"
#include "tests/support/scripted_postgres.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using testing::FakeDrill;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::ScriptedPostgres;
using testing::wire_done;
using testing::wire_error;
using testing::wire_rows;

/// The way in leads to one scripted server, and the superuser's to another, which counts sessions.
class HeldSessions : public ::testing::Test {
 protected:
  HeldSessions() {
    drill_.cluster.access.superuser = "postgres";
    drill_.cluster.access.superuser_sslmode = "disable";
    for (Member& member : drill_.cluster.members) {
      member.postgres = {.host = "127.0.0.1", .port = counter_.port()};
    }
    drill_.cluster.entry_points = {{.role = EntryPointRole::primary,
                                    .host = "pg1",
                                    .address = {.host = "127.0.0.1", .port = server_.port()}}};
    traffic_.user = "pgfiredrill_traffic";
    traffic_.sslmode = "disable";
  }

  Tools tools() {
    Tools tools = drill_.tools();
    tools.traffic = &traffic_;
    return tools;
  }

  std::unique_ptr<Fault> make(const std::string& kind,
                              const std::map<std::string, std::string>& options = {}) {
    return find_fault_kind(kind)->make({.kind = kind, .target = "leader", .options = options}, tools());
  }

  std::optional<std::string> serve(const std::string& sql) {
    if (lost_) return wire_error("57P01", "terminating connection", "FATAL");
    return wire_done(sql.substr(0, sql.find(' ')));
  }

  std::optional<std::string> count(const std::string& sql) const {
    if (sql.find("count(*)") == std::string::npos) return wire_done(sql.substr(0, sql.find(' ')));
    return wire_rows({"count"}, {{std::to_string(sessions_)}});
  }

  FakeDrill drill_;
  ConnectParameters traffic_;
  std::atomic<bool> lost_ = false;
  std::atomic<int> sessions_ = 1;
  ScriptedPostgres server_{[this](const std::string& sql) { return serve(sql); }};
  ScriptedPostgres counter_{[this](const std::string& sql) { return count(sql); }};
};

TEST_F(HeldSessions, LongTransactionHasAnIdAndASnapshotUntilItIsRolledBack) {
  const auto fault = make("long-transaction");
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  EXPECT_EQ(fault->target(), "pgnode01");
  ASSERT_TRUE(fault->inject());
  EXPECT_TRUE(fault->verify(2s).took);
  EXPECT_TRUE(fault->verify_held().took);
  ASSERT_TRUE(fault->revert());
  sessions_ = 0;
  const Evidence evidence = fault->verify_reverted();
  EXPECT_TRUE(evidence.took);
  EXPECT_THAT(evidence.sentence, HasSubstr("stood until it was ended"));
  EXPECT_THAT(server_.statements(), IsSupersetOf({"BEGIN ISOLATION LEVEL REPEATABLE READ",
                                                  "SELECT pg_catalog.txid_current()", "ROLLBACK"}));
}

TEST_F(HeldSessions, IsNotProvenWhereTheServerDoesNotHaveIt) {
  const auto fault = make("long-transaction");
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  ASSERT_TRUE(fault->inject());
  sessions_ = 0;
  EXPECT_FALSE(fault->verify(2s).took);
}

// That another fault ended it is the very thing to be seen: it is told and no trouble.
TEST_F(HeldSessions, TellsThatTheSessionWasLost) {
  const auto fault = make("held-lock");
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  ASSERT_TRUE(fault->inject());
  lost_ = true;
  sessions_ = 0;
  EXPECT_TRUE(fault->verify_held().took);
  EXPECT_TRUE(fault->revert());
  const Evidence evidence = fault->verify_reverted();
  EXPECT_TRUE(evidence.took);
  EXPECT_THAT(evidence.sentence, HasSubstr("the session was lost"));
}

TEST_F(HeldSessions, IsNotOverWhileAServerHasOneOfItsSessions) {
  const auto fault = make("long-transaction");
  EXPECT_THAT(fault->verify_reverted().sentence, HasSubstr("pgnode01 still has 1"));
  drill_.probe.before_look = [&](int) { drill_.probe.now.servers.clear(); };
  EXPECT_THAT(fault->verify_reverted().sentence, HasSubstr("no server answers"));
}

TEST_F(HeldSessions, LockIsOneThatWritersShare) {
  const auto fault = make("held-lock", {{"lock", "table"}});
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  ASSERT_TRUE(fault->inject());
  EXPECT_THAT(server_.statements(), IsSupersetOf({"LOCK TABLE pgfiredrill.ledger IN ROW EXCLUSIVE MODE"}));
}

TEST_F(HeldSessions, NothingIsHeldWhereAStatementIsRefused) {
  lost_ = true;
  const auto fault = make("held-lock");
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  EXPECT_FALSE(fault->inject());
  sessions_ = 0;
  EXPECT_TRUE(fault->revert());
  EXPECT_TRUE(fault->verify_reverted().took);
}

TEST(WayIn, IsTheFirstReadWriteEntryPointElseTheLeadersOwnPooler) {
  FakeDrill drill;
  Tools tools = drill.tools();
  EXPECT_EQ(way_in(tools, "pgnode01", "x").error().kind, FailureKind::missing) << "nobody's login is known";
  const ConnectParameters traffic{.user = "pgfiredrill_traffic"};
  tools.traffic = &traffic;
  EXPECT_THAT(way_in(tools, "pgnode01", "x").error().message(), HasSubstr("no read-write entry point"));
  const auto add = [&](EntryPointKind kind, EntryPointRole role, const std::string& host, int port) {
    drill.cluster.entry_points.push_back(
        {.kind = kind, .role = role, .host = host, .address = {.host = "10.0.0.1", .port = port}});
  };
  add(EntryPointKind::server, EntryPointRole::node, "pg1", 5432);
  EXPECT_EQ(way_in(tools, "pgnode01", "x")->port, 5432);
  add(EntryPointKind::pooler, EntryPointRole::node, "pg2", 6433);
  add(EntryPointKind::pooler, EntryPointRole::node, "pg1", 6432);
  EXPECT_EQ(way_in(tools, "pgnode01", "x")->port, 6432);
  add(EntryPointKind::balancer, EntryPointRole::replica, "pg1", 5001);
  add(EntryPointKind::balancer, EntryPointRole::primary, "pg2", 5000);
  add(EntryPointKind::balancer, EntryPointRole::primary, "pg1", 5010);
  const auto found = way_in(tools, "pgnode01", "pgfiredrill storm");
  EXPECT_EQ(found->port, 5000);
  EXPECT_EQ(found->user, "pgfiredrill_traffic");
  EXPECT_EQ(found->application_name, "pgfiredrill storm");
}

}  // namespace
}  // namespace pgfiredrill::fault
