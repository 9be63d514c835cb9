#include "drivers/paths.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

EntryPoint balancer(const std::string& host, int port, EntryPointRole role) {
  return {.role = role,
          .host = host,
          .listener = role == EntryPointRole::primary ? "master" : "replicas",
          .address = {host, port},
          .servers = {{.name = "pgnode01"}, {.name = "pgnode02"}, {.name = "pgnode03"}}};
}

ClusterDescription three_hosts() {
  ClusterDescription cluster;
  for (const char* host : {"pg1", "pg2", "pg3"}) {
    cluster.members.push_back(
        {.name = std::string{"pgnode0"} + host[2], .host = host, .postgres = {host, 5432}});
    cluster.entry_points.push_back(balancer(host, 5000, EntryPointRole::primary));
    cluster.entry_points.push_back(balancer(host, 5001, EntryPointRole::replica));
    cluster.entry_points.push_back(balancer(host, 5002, EntryPointRole::replica_sync));
    cluster.entry_points.push_back({.kind = EntryPointKind::pooler, .host = host, .address = {host, 6432}});
    cluster.entry_points.push_back({.kind = EntryPointKind::server, .host = host, .address = {host, 5432}});
  }
  return cluster;
}

std::vector<std::string> ids_of(const std::vector<TrafficPath>& paths) {
  std::vector<std::string> ids;
  for (const TrafficPath& path : paths) ids.push_back(path.id);
  return ids;
}

TrafficPath path_of(const std::vector<TrafficPath>& paths, const std::string& id) {
  const auto found =
      std::find_if(paths.begin(), paths.end(), [&](const TrafficPath& path) { return path.id == id; });
  EXPECT_NE(found, paths.end()) << id;
  return found == paths.end() ? TrafficPath{} : *found;
}

TEST(FindPaths, TakesEveryWayOnce) {
  const auto paths = find_paths(three_hosts());
  auto ids = ids_of(paths);
  EXPECT_THAT(ids, SizeIs(3 * 2 * 2 + 4 * 2 + 3 * 2 + 2));
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_THAT(ids, Not(Contains("pg1:5002/read_only/pooled"))) << "may be empty by design";
}

TEST(FindPaths, PoolersAndServersArePinnedAndPooledOnly) {
  const auto paths = find_paths(three_hosts());
  const auto pooler = path_of(paths, "pg2:6432/read_only/pooled");
  EXPECT_EQ(pooler.pinned_member, "pgnode02");
  EXPECT_EQ(pooler.depth, Depth::pooler);
  EXPECT_EQ(path_of(paths, "pg3:5432/read_only/pooled").depth, Depth::server);
  EXPECT_THAT(ids_of(paths), Not(Contains("pg2:6432/read_only/fresh")));
}

/// Where clients cannot go, traffic does not.
TEST(FindPaths, NoTrafficGoesToAServerBehindAWall) {
  ClusterDescription cluster = three_hosts();
  for (const char* host : {"pg1", "pg2", "pg3"}) {
    cluster.not_reached.push_back(
        {host, std::string{"entry point "} + host + ":5432", {.kind = FailureKind::timed_out}});
  }
  const auto ids = ids_of(find_paths(cluster));
  EXPECT_THAT(ids, Not(Contains(::testing::HasSubstr("5432"))));
  EXPECT_THAT(ids, Contains("pg2:6432/read_only/pooled"));
}

TEST(FindPaths, ListsWithAttributesDoNotBlockTheSteadyState) {
  const auto paths = find_paths(three_hosts());
  const auto plain = path_of(paths, "list:5000/read_write/fresh");
  EXPECT_THAT(plain.addresses, SizeIs(3));
  EXPECT_TRUE(plain.needed_for_steady_state);
  EXPECT_EQ(plain.target_session_attrs, "any");
  EXPECT_EQ(plain.servers_behind, 3);
  for (const char* id : {"list:5000+tsa/read_write/pooled", "list:6432+tsa/read_write/pooled",
                         "list:5432+tsa/read_write/pooled"}) {
    const auto path = path_of(paths, id);
    EXPECT_FALSE(path.needed_for_steady_state) << id;
    EXPECT_EQ(path.target_session_attrs, "read-write") << id;
    EXPECT_EQ(path.pinned_member, "") << id;
  }
}

TEST(FindPaths, TheLedgerGoesThroughTheFirstWayToWrite) {
  const auto paths = find_paths(three_hosts());
  EXPECT_EQ(std::count_if(paths.begin(), paths.end(),
                          [](const TrafficPath& path) { return path.purpose == Purpose::ledger; }),
            1);
  EXPECT_EQ(path_of(paths, "pg1:5000/read_write/pooled/ledger").purpose, Purpose::ledger);
}

// Lag is counted from writes that took the way of applications.
TEST(FindPaths, TheHeartbeatTakesTheLedgersWay) {
  const auto heartbeat = path_of(find_paths(three_hosts()), "pg1:5000/read_write/pooled/heartbeat");
  EXPECT_EQ(heartbeat.purpose, Purpose::heartbeat);
  EXPECT_EQ(heartbeat.session, SessionKind::pooled);
  EXPECT_EQ(heartbeat.access, Access::read_write);
}

TEST(FindPaths, AVirtualAddressIsOneEntryPointAndNoList) {
  ClusterDescription cluster = three_hosts();
  std::erase_if(cluster.entry_points,
                [](const EntryPoint& point) { return point.kind == EntryPointKind::balancer; });
  EntryPoint vip = balancer("", 5000, EntryPointRole::primary);
  vip.kind = EntryPointKind::vip;
  vip.address.host = "10.0.0.100";
  cluster.entry_points.push_back(vip);
  const auto paths = find_paths(cluster);
  EXPECT_EQ(path_of(paths, "vip:5000/read_write/fresh").depth, Depth::balancer);
  EXPECT_THAT(ids_of(paths), Not(Contains("list:5000/read_write/fresh")));
  EXPECT_EQ(path_of(paths, "vip:5000/read_write/pooled/ledger").purpose, Purpose::ledger);
}

// vip-manager: the address follows the leader, and what it leads to is told by the port.
TEST(FindPaths, AVirtualAddressWithoutBalancersHasTheDepthOfItsPort) {
  ClusterDescription cluster = three_hosts();
  for (const int port : {6432, 5432}) {
    cluster.entry_points.push_back(
        {.kind = EntryPointKind::vip, .role = EntryPointRole::primary, .address = {"10.0.0.100", port}});
  }
  const auto paths = find_paths(cluster);
  EXPECT_EQ(path_of(paths, "vip:6432/read_write/fresh").depth, Depth::pooler);
  EXPECT_EQ(path_of(paths, "vip:5432/read_write/fresh").depth, Depth::server);
}

TEST(FindPaths, HasNothingToDriveWhereNothingListens) {
  EXPECT_THAT(find_paths({}), IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill
