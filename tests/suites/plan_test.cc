#include "suites/plan.h"

#include <gmock/gmock.h>

#include "tests/support/simulated_clock.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;

ClusterDescription cluster_with_logins_of(std::chrono::microseconds login) {
  ClusterDescription cluster;
  cluster.name = "c";
  for (int i = 1; i <= 3; ++i) {
    EntryPoint point;
    point.role = EntryPointRole::primary;
    point.host = "pg" + std::to_string(i);
    point.listener = "master";
    point.address = {"10.77.0.1" + std::to_string(i), 5000};
    point.servers = {{.name = "a", .status = "UP"}};
    point.login_time = login;
    cluster.entry_points.push_back(point);
  }
  cluster.settings.server_login_retry = {15s, "test"};
  return cluster;
}

RunRequest one_drill(bool observe_given) {
  RunRequest request;
  request.suite.name = "s";
  DrillSpec drill;
  drill.plan.name = "d";
  drill.plan.observe_s = 7;
  drill.observe_given = observe_given;
  request.suite.drills = {drill};
  return request;
}

RunManifest plan(const ClusterDescription& cluster, bool observe_given = false) {
  const testing::SimulatedClock clock;
  return make_manifest(one_drill(observe_given), cluster, clock);
}

double fresh_logins(const RunManifest& manifest) {
  double sum = 0;
  for (const TrafficPath& path : manifest.paths) {
    if (path.session == SessionKind::fresh) sum += path.rate_hz;
  }
  return sum;
}

/// PgBouncer refuses logins for that long after a failed one: a shorter look would miss the end of an outage.
TEST(Plan, ObservesForTheRetryOfPoolersAndTenSeconds) {
  EXPECT_EQ(plan(cluster_with_logins_of(10ms)).drills[0].observe_s, 25);
  EXPECT_EQ(plan(cluster_with_logins_of(10ms), true).drills[0].observe_s, 7);
}

/// Logins that take long are a machine, or a way, that bears few of them.
TEST(Plan, FewerFreshSessionsWhereLoginsTakeLong) {
  const double quick = fresh_logins(plan(cluster_with_logins_of(5ms)));
  const double slow = fresh_logins(plan(cluster_with_logins_of(100ms)));
  EXPECT_LE(quick, 60.0);
  EXPECT_GT(quick, 20.0);
  EXPECT_LE(slow, 12.0);
  EXPECT_GE(slow, 5.0);
  EXPECT_GE(fresh_logins(plan(cluster_with_logins_of(5s))), 1.0) << "never none";
}

TEST(Plan, FewerFreshSessionsWhereAPoolerPaysDearly) {
  const ClusterDescription cluster = cluster_with_logins_of(10ms);
  RunManifest manifest = plan(cluster);
  EXPECT_FALSE(lower_fresh_rates(manifest, one_drill(false), cluster, 0.001)) << "150 a second are borne";
  EXPECT_NEAR(fresh_logins(manifest), 40, 1) << "20 on the main path, 5 on each other";
  EXPECT_TRUE(lower_fresh_rates(manifest, one_drill(false), cluster, 0.005));
  EXPECT_NEAR(fresh_logins(manifest), 30, 1) << "15 % of a core at 5 ms each";
}

/// The word a suite says becomes a number with its reason, and the budget stays with the drill.
TEST(Plan, MakesNumbersOfWordsForLimits) {
  ClusterDescription cluster = cluster_with_logins_of(10ms);
  ListenerTimings master{.listener = "master", .source = "haproxy.cfg"};
  master.inter = 3s;
  master.fastinter = 1s;
  master.fall = 3;
  master.rise = 4;
  cluster.settings.listeners = {master};
  RunRequest request = one_drill(true);
  request.suite.drills[0].plan.fault = {.kind = "patroni-switchover", .target = "leader"};
  request.suite.drills[0].plan.expectations = {
      {.metric = "outage_s", .where = {.access = "read_write"}, .basis = kLimitBudget},
      {.metric = "lost", .basis = kLimitPromise},
      {.metric = "outage_s", .limit = 30}};
  const testing::SimulatedClock clock;
  const DrillPlan drill = make_manifest(request, cluster, clock).drills[0];
  ASSERT_TRUE(drill.budget);
  EXPECT_EQ(drill.budget->read_write.max_s, 10);
  EXPECT_DOUBLE_EQ(drill.expectations[0].limit, 15.5);
  EXPECT_FALSE(drill.expectations[0].reason.empty());
  EXPECT_EQ(drill.expectations[1].metric, "lost");
  EXPECT_EQ(drill.expectations[1].limit, 0);
  EXPECT_EQ(drill.expectations[2].limit, 30) << "a number stays what it is";
}

TEST(Plan, PromisesBytesWhereAnAsynchronousClusterMayLose) {
  ClusterDescription cluster = cluster_with_logins_of(10ms);
  cluster.settings.synchronous_mode = {"off", "test"};
  cluster.settings.maximum_lag_on_failover_bytes = {1'048'576, "test"};
  RunRequest request = one_drill(true);
  request.suite.drills[0].plan.fault = {.kind = "power-off", .target = "leader", .hold_s = 60};
  request.suite.drills[0].plan.expectations = {{.metric = "lost", .basis = kLimitPromise}};
  const testing::SimulatedClock clock;
  const Expectation promise = make_manifest(request, cluster, clock).drills[0].expectations[0];
  EXPECT_EQ(promise.metric, "rpo_bytes");
  EXPECT_EQ(promise.limit, 1'048'576);
}

TEST(Plan, SummarisesSettingsAsTheyWereRead) {
  const ClusterSummary summary = summarise(cluster_with_logins_of(10ms));
  EXPECT_THAT(summary.settings, ::testing::Contains(::testing::Pair("server_login_retry", "15 s")));
  EXPECT_FALSE(summary.settings.contains("ttl")) << "what was not read is not there";
}

}  // namespace
}  // namespace pgfiredrill
