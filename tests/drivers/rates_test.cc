#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "drivers/traffic.h"

namespace pgfiredrill {
namespace {

TrafficPath path(const std::string& id, Access access, SessionKind session, Purpose purpose = Purpose::canary,
                 std::size_t addresses = 1) {
  TrafficPath made{.id = id, .access = access, .session = session, .purpose = purpose};
  made.addresses.resize(addresses);
  return made;
}

std::vector<TrafficPath> usual_paths() {
  std::vector<TrafficPath> paths;
  paths.push_back(path("list", Access::read_write, SessionKind::fresh, Purpose::canary, 3));
  for (int i = 0; i < 3; ++i) {
    for (const Access access : {Access::read_write, Access::read_only}) {
      for (const SessionKind session : {SessionKind::pooled, SessionKind::fresh})
        paths.push_back(path(std::to_string(i), access, session));
    }
  }
  paths.push_back(path("heartbeat", Access::read_write, SessionKind::pooled, Purpose::heartbeat));
  paths.push_back(path("ledger", Access::read_write, SessionKind::pooled, Purpose::ledger));
  return paths;
}

template <typename Value>
double sum(const std::vector<TrafficPath>& paths, Value value) {
  return std::accumulate(paths.begin(), paths.end(), 0.0,
                         [&](double total, const TrafficPath& one) { return total + value(one); });
}

double fresh_hz(const TrafficPath& one) {
  return one.session == SessionKind::fresh ? one.rate_hz : 0;
}

TEST(AssignRates, GivesOneReadWriteBalancerPathMostFreshSessions) {
  auto paths = usual_paths();
  assign_rates(paths, 50, 100);
  for (const TrafficPath& one : paths) {
    if (one.session != SessionKind::fresh) continue;
    const bool main = one.id == "0" && one.access == Access::read_write;
    EXPECT_EQ(one.rate_hz, main ? 20 : 5) << one.id << " one address only, and no more than 5 for the others";
  }
}

TEST(AssignRates, KeepsFreshSessionsBelowWhatTheyMayCost) {
  auto paths = usual_paths();
  for (int i = 0; i < 100; ++i) paths.push_back(path("more", Access::read_only, SessionKind::fresh));
  assign_rates(paths, 50, 100);
  EXPECT_NEAR(sum(paths, fresh_hz), 60, 1e-6);
  assign_rates(paths, 50, 100, 12);
  EXPECT_NEAR(sum(paths, fresh_hz), 12, 1e-6);
}

TEST(AssignRates, KeepsWritesBelowWhatTheyMayBe) {
  for (const double ledger : {0.0, 100.0, 200.0, 5000.0}) {
    auto paths = usual_paths();
    assign_rates(paths, 1000, ledger);
    EXPECT_LE(sum(paths, [](const TrafficPath& one) { return one.write_rate_hz; }), 200 + 1e-6) << ledger;
  }
}

TEST(AssignRates, WritesOnReadWritePathsOnly) {
  auto paths = usual_paths();
  assign_rates(paths, 50, 100);
  for (const TrafficPath& one : paths) {
    EXPECT_EQ(one.write_rate_hz > 0, one.access == Access::read_write) << one.id;
    EXPECT_LE(one.write_rate_hz, one.rate_hz) << one.id;
  }
}

// Lag is told from a heartbeat each 20 ms, whatever else is written.
TEST(AssignRates, CanariesWriteWhatTheHeartbeatAndTheLedgerLeave) {
  for (const double ledger : {20.0, 100.0, 5000.0}) {
    auto paths = usual_paths();
    assign_rates(paths, 50, ledger);
    double canaries = 0;
    for (const TrafficPath& one : paths) {
      if (one.purpose == Purpose::heartbeat) {
        EXPECT_EQ(one.rate_hz, 50);
        EXPECT_EQ(one.write_rate_hz, 50);
      }
      if (one.purpose == Purpose::canary) canaries += one.write_rate_hz;
    }
    EXPECT_LE(canaries, std::max(0.0, 150 - ledger) + 1e-6) << ledger;
  }
}

TEST(AssignRates, GivesTheLedgerItsRate) {
  auto paths = usual_paths();
  assign_rates(paths, 50, 80);
  EXPECT_EQ(paths.back().rate_hz, 80);
  EXPECT_EQ(paths.back().write_rate_hz, 80);
}

}  // namespace
}  // namespace pgfiredrill
