#include "drivers/client_plan.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "drivers/session_plan.h"
#include "drivers/statements.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr int kLedgerConnections = 4;

TrafficPath path(const std::string& entrypoint, Access access, SessionKind session, double rate_hz = 50) {
  return {.id = entrypoint,
          .entrypoint = entrypoint,
          .addresses = {{"10.0.0.1", 5000}},
          .access = access,
          .session = session,
          .rate_hz = rate_hz};
}

/// Two balancers, a list, a pooler asked directly, the ledger.
std::vector<TrafficPath> usual_paths() {
  std::vector<TrafficPath> paths;
  for (const char* balancer : {"pg1:5000", "vip:5000"}) {
    paths.push_back(path(balancer, Access::read_write, SessionKind::pooled));
    paths.push_back(path(balancer, Access::read_write, SessionKind::fresh, 20));
  }
  paths.push_back(path("pg1:5001", Access::read_only, SessionKind::pooled));
  TrafficPath list = path("list:5000", Access::read_write, SessionKind::pooled);
  list.addresses.push_back({"10.0.0.2", 5000});
  paths.push_back(list);
  TrafficPath pinned = path("pg1:6432", Access::read_only, SessionKind::pooled);
  pinned.depth = Depth::pooler;
  pinned.pinned_member = "pgnode01";
  paths.push_back(pinned);
  TrafficPath ledger = path("pg1:5000", Access::read_write, SessionKind::pooled, 100);
  ledger.purpose = Purpose::ledger;
  paths.push_back(ledger);
  return paths;
}

std::vector<std::string> kinds_on(const std::vector<ClientSpec>& clients, const std::string& entrypoint) {
  std::vector<std::string> kinds;
  for (const ClientSpec& client : clients) {
    if (client.path.entrypoint == entrypoint) kinds.emplace_back(to_string(client.kind));
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

TEST(PlanClients, HoldsEachKindOnEachEntryPointForWrites) {
  const auto clients = plan_clients(usual_paths(), "session", kLedgerConnections);
  EXPECT_THAT(clients, SizeIs(10));
  for (const char* entrypoint : {"pg1:5000", "vip:5000"}) {
    EXPECT_THAT(kinds_on(clients, entrypoint),
                ElementsAre("idle", "idle", "idle", "in_transaction", "long_query"));
  }
  std::set<nanoseconds> wakes;
  for (const ClientSpec& client : clients) {
    if (client.kind == ClientKind::idle) wakes.insert(client.wakes_after);
  }
  EXPECT_THAT(wakes, ElementsAre(1s, 5s, 15s));
}

// An open transaction holds its row locked for a whole drill: no canary and no other client may need it.
TEST(PlanClients, EachHasARowThatNobodyElseWrites) {
  const auto paths = usual_paths();
  const auto clients = plan_clients(paths, "transaction", kLedgerConnections);
  std::set<std::uint64_t> rows;
  for (const ClientSpec& client : clients) {
    EXPECT_TRUE(rows.insert(client.row).second);
    EXPECT_GE(client.row, paths.size() * kRowsPerLane);
    EXPECT_LT(client.row, (paths.size() + lanes_for(clients)) * kRowsPerLane);
  }
}

TEST(PlanClients, LeavesAPoolerWithSessionPoolingToApplications) {
  auto paths = usual_paths();
  // 40 sessions each, were there room.
  for (TrafficPath& one : paths) {
    if (one.session == SessionKind::pooled && one.access == Access::read_write &&
        one.purpose == Purpose::canary)
      one.rate_hz = 1000;
  }
  const int traffic = sessions_of_traffic(paths, "session", kLedgerConnections);
  const auto held = plan_clients(paths, "session", kLedgerConnections);
  EXPECT_THAT(traffic + static_cast<int>(held.size()), Le(60));
  EXPECT_EQ(plan_clients(paths, "", kLedgerConnections).size(), held.size()) << "unknown: as the dearer one";
  EXPECT_THAT(held, SizeIs(10)) << "fast lanes leave them room";
}

TEST(PlanClients, WhatIsTightIsSharedAmongEntryPoints) {
  auto paths = usual_paths();
  // Two sessions each, until room for three or four is left.
  while (sessions_of_traffic(paths, "session", kLedgerConnections) + 2 <= 57)
    paths.push_back(path("pg1:5001", Access::read_only, SessionKind::pooled));
  const auto clients = plan_clients(paths, "session", kLedgerConnections);
  ASSERT_THAT(clients.size(), ::testing::AllOf(Gt(1u), Le(4u)));
  EXPECT_THAT(kinds_on(clients, "pg1:5000"), ::testing::Contains("idle"));
  EXPECT_THAT(kinds_on(clients, "vip:5000"), ::testing::Contains("idle"));
}

TEST(PlanClients, HoldsNothingWhereNobodyWrites) {
  EXPECT_THAT(plan_clients({}, "session", kLedgerConnections), IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill
