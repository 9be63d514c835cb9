#include "measure/budget.h"

#include <chrono>
#include <optional>
#include <utility>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// autobase's own values, as they stand in its variables and templates.
FailoverSettings stock() {
  FailoverSettings settings;
  settings.ttl = {30s, "GET /config"};
  settings.loop_wait = {10s, "GET /config"};
  settings.retry_timeout = {10s, "GET /config"};
  settings.primary_start_timeout = {300s, "GET /config"};
  settings.maximum_lag_on_failover_bytes = {1'048'576, "GET /config"};
  settings.synchronous_mode = {"off", "GET /config"};
  settings.failsafe_mode = {true, "GET /config"};
  settings.watchdog_mode = {"off", "patroni.yml"};
  settings.server_login_retry = {15s, "SHOW CONFIG"};
  settings.etcd_election_timeout = {5000ms, "etcd.conf"};
  settings.vip_interval = {2000ms, "keepalived.conf"};
  ListenerTimings master{.listener = "master", .source = "haproxy.cfg"};
  master.inter = 3s;
  master.fastinter = 1s;
  master.fall = 3;
  master.rise = 4;
  master.check_timeout = 15s;
  ListenerTimings replicas = master;
  replicas.listener = "replicas";
  replicas.rise = 2;
  settings.listeners = {master, replicas};
  return settings;
}

/// The lab's quick ones.
FailoverSettings fast() {
  FailoverSettings settings = stock();
  settings.ttl.value = 20s;
  settings.loop_wait.value = 1s;
  settings.retry_timeout.value = 3s;
  settings.server_login_retry.value = 1s;
  settings.etcd_election_timeout.value = 1000ms;
  for (ListenerTimings& listener : settings.listeners) listener.inter = 1s;
  return settings;
}

FaultSpec fault(const std::string& kind, const std::string& target = "leader",
                std::map<std::string, std::string> options = {}, std::optional<double> hold_s = {}) {
  return {.kind = kind, .target = target, .options = std::move(options), .hold_s = hold_s};
}

FaultSpec process(const std::string& kind, const std::string& service, const std::string& target = "leader",
                  std::optional<double> hold_s = {}) {
  return fault(kind, target, {{"service", service}}, hold_s);
}

Budget budget(const FailoverSettings& settings, const FaultSpec& fault,
              const std::vector<FaultSpec>& then = {}) {
  return expect_budget({.settings = settings, .fault = fault, .then = then});
}

struct Row {
  FaultSpec fault;
  double stock_min, stock_max;
  double fast_min, fast_max;
  FailoverForecast failover;
  const char* why;  ///< the sum by hand, of the stock values
};

const Row kWrites[] = {
    {fault("patroni-switchover"), 5, 10, 5, 8, FailoverForecast::always, "2..4 hand over + 3..6 up"},
    {process("stop-service", "patroni", "leader", 60), 5, 10, 5, 8, FailoverForecast::always,
     "a clean stop gives the key back, as a switchover"},
    {process("kill-process", "postmaster"), 4, 30, 4, 10, FailoverForecast::never,
     "0..10 loop + 1..5 recovery + the later of 3..6 up and 0..15 login retry"},
    {process("kill-process", "patroni"), 0, 2, 0, 2, FailoverForecast::never, "systemd"},
    {process("kill-process", "pgbouncer"), 0, 2, 0, 2, FailoverForecast::never, "systemd"},
    {process("kill-process", "haproxy", "balancer"), 0, 2, 0, 2, FailoverForecast::never, "systemd"},
    {process("kill-process", "etcd", "etcd_leader"), 0, 0, 0, 0, FailoverForecast::never, "a majority"},
    {process("kill-process", "postmaster", "replica"), 0, 0, 0, 0, FailoverForecast::never, "no leader hit"},
    {fault("power-off", "leader", {}, 60), 24, 49, 23, 29, FailoverForecast::always,
     "20..30 key + 0..10 two elections + 1..3 promotion + 3..6 up"},
    {fault("reboot-host"), 5, 49, 5, 29, FailoverForecast::either, "from handed over to host lost"},
    {fault("cut-network", "leader", {{"from", "peers"}}, 60), 24, 49, 23, 29, FailoverForecast::always,
     "as a lost host"},
    {fault("cut-network", "leader", {{"from", "consensus"}}, 60), 0, 0, 0, 0, FailoverForecast::never,
     "failsafe"},
    {fault("cut-network", "leader", {{"from", "balancers"}}, 30), 33, 36, 33, 34, FailoverForecast::never,
     "30 held + 3..6 up"},
    {fault("cut-network", "all", {{"from", "repository1"}}, 30), 0, 0, 0, 0, FailoverForecast::never,
     "no session notices"},
    {process("freeze-process", "patroni", "leader", 60), 10, 28, 17, 22, FailoverForecast::always,
     "20..30 + 1..3 + 3..6, less 11..14 (three checks of 3 s, two pauses of 1 s, up to 3 s before) served"},
    {process("freeze-process", "postgresql", "leader", 60), 24, 50, 23, 48, FailoverForecast::always,
     "24..39, or until hung checks have failed: 3 × 15 + 2 × 1 + up to 3 s"},
    {process("freeze-process", "postmaster", "leader", 30), 0, 45, 0, 31, FailoverForecast::never,
     "up to 30 held + 0..15 login retry"},
    {process("stop-service", "pgbouncer", "leader", 30), 30, 32, 30, 32, FailoverForecast::never,
     "the check never asks the pooler"},
    {process("stop-service", "etcd", "etcd_quorum", 60), 0, 0, 0, 0, FailoverForecast::never, "failsafe"},
    {fault("prevent-start", "leader", {}, 60), 5, 34, 5, 14, FailoverForecast::always,
     "0..10 loop + 1..5 start fails + 0..10 loop + 1..3 + 3..6"},
    {fault("patroni-restart"), 4, 20, 4, 9, FailoverForecast::never, "1..5 + the later of 3..6 and 0..15"},
    {fault("freeze-disk", "leader", {}, 30), 30, 45, 30, 31, FailoverForecast::never, "30 held + 0..15"},
    {fault("reload-service", "balancer", {{"service", "haproxy"}}), 0, 3, 0, 1, FailoverForecast::never,
     "inter"},
    {fault("patroni-pause", "cluster", {}, 10), 0, 0, 0, 0, FailoverForecast::never, "nobody notices"},
};

TEST(Budget, OfWritesIsTheSumOfItsStages) {
  for (const Row& row : kWrites) {
    const std::string name = row.fault.kind + " " + row.fault.target + " " +
                             (row.fault.options.empty() ? "" : row.fault.options.begin()->second) + ": " +
                             row.why;
    for (const auto& [settings, min_s, max_s] : {std::tuple{stock(), row.stock_min, row.stock_max},
                                                 std::tuple{fast(), row.fast_min, row.fast_max}}) {
      const Budget expected = budget(settings, row.fault);
      ASSERT_TRUE(expected.read_write.min_s && expected.read_write.max_s) << name;
      EXPECT_DOUBLE_EQ(*expected.read_write.min_s, min_s) << name;
      EXPECT_DOUBLE_EQ(*expected.read_write.max_s, max_s) << name;
      EXPECT_EQ(expected.failover, row.failover) << name;
    }
  }
}

/// Whoever reads a budget must be able to add it up.
TEST(Budget, PartsAddUpToTheWhole) {
  for (const Row& row : kWrites) {
    for (const OutageBudget& outage :
         {budget(stock(), row.fault).read_write, budget(stock(), row.fault).read_only}) {
      double min_s = 0, max_s = 0;
      for (const BudgetPart& part : outage.parts) {
        min_s += part.min_s;
        max_s += part.max_s;
        EXPECT_FALSE(part.name.empty());
      }
      EXPECT_DOUBLE_EQ(min_s, outage.min_s.value_or(-1)) << row.fault.kind;
      EXPECT_DOUBLE_EQ(max_s, outage.max_s.value_or(-1)) << row.fault.kind;
      EXPECT_LE(min_s, max_s) << row.fault.kind;
    }
  }
}

TEST(Budget, OfReadsCountsThePoolerThatStillRefuses) {
  EXPECT_EQ(budget(stock(), fault("patroni-switchover")).read_only.max_s, 15);
  EXPECT_EQ(budget(fast(), fault("patroni-switchover")).read_only.max_s, 1);
  const Budget silent = budget(stock(), fault("power-off", "replica", {}, 60));
  EXPECT_EQ(silent.read_only.max_s, 14 + 15) << "11..14 until the silent replica is dropped";
  const FaultSpec switchover = fault("patroni-switchover");
  const FailoverSettings settings = stock();
  const Budget lone = expect_budget({.settings = settings, .fault = switchover, .then = {}, .replicas = 1});
  EXPECT_EQ(lone.read_only.max_s, 10 + 4 + 15) << "nobody to read from until the old leader is back";
}

/// A default of some release must never stand in for what was not read.
TEST(Budget, HasNoNumberWhereASettingIsNotKnown) {
  FailoverSettings settings = stock();
  settings.server_login_retry.value.reset();
  settings.ttl.value.reset();
  const Budget killed = budget(settings, process("kill-process", "postmaster"));
  EXPECT_FALSE(killed.read_write.max_s);
  EXPECT_THAT(killed.read_write.missing, ::testing::ElementsAre("server_login_retry"));
  const OutageLimit limit = outage_limit(killed, true);
  EXPECT_EQ(limit.limit_s, 60);
  EXPECT_THAT(limit.reason, HasSubstr("server_login_retry"));
  const Budget lost = budget(settings, fault("power-off"));
  EXPECT_THAT(lost.read_write.missing, ::testing::Contains("ttl"));
  EXPECT_EQ(outage_limit(lost, true).limit_s, 65);
  settings = stock();
  settings.listeners.clear();
  EXPECT_THAT(budget(settings, fault("patroni-switchover")).read_write.missing,
              ::testing::ElementsAre(HasSubstr("listener master")));
}

TEST(Budget, LimitLeavesRoomForMeasuringAndABusyMachine) {
  EXPECT_DOUBLE_EQ(outage_limit(budget(stock(), fault("patroni-switchover")), true).limit_s, 15.5);
  EXPECT_DOUBLE_EQ(hold_limit(fault("freeze-disk", "leader", {}, 30), {}).limit_s, 40.5);
}

TEST(Budget, WithoutFailsafeModeALostMajorityLeavesNoLeader) {
  FailoverSettings settings = stock();
  settings.failsafe_mode.value = false;
  const Budget lost = budget(settings, process("stop-service", "etcd", "etcd_quorum", 60));
  EXPECT_EQ(lost.read_write.min_s, 30 + 1 + 3) << "60 held less ttl, promotion, up";
  EXPECT_EQ(lost.read_write.max_s, 60 + 10 + 10 + 3 + 15);
  settings.failsafe_mode.value.reset();
  EXPECT_FALSE(budget(settings, process("stop-service", "etcd", "etcd_quorum", 60)).read_write.max_s);
}

TEST(Budget, ConsensusElsewhereSurvivesTheLeadersHost) {
  const FaultSpec off = fault("power-off", "leader", {}, 60);
  const FailoverSettings settings = stock();
  const Budget apart =
      expect_budget({.settings = settings, .fault = off, .then = {}, .consensus_on_members = false});
  EXPECT_EQ(apart.read_write.max_s, 39);
}

/// primary_start_timeout 0 asks for a failover where others restart in place.
TEST(Budget, GivesTheRoleAwayAtOnceWhereNoStartIsWaitedFor) {
  FailoverSettings settings = stock();
  settings.primary_start_timeout.value = 0s;
  const Budget killed = budget(settings, process("kill-process", "postmaster"));
  EXPECT_EQ(killed.failover, FailoverForecast::always);
  EXPECT_EQ(killed.read_write.max_s, 10 + 3 + 6);
  EXPECT_TRUE(killed.loss_limit_bytes) << "now it is an unplanned failover";
}

TEST(Budget, OnlyUnplannedFailoversOfAsynchronousClustersMayLose) {
  EXPECT_FALSE(budget(stock(), fault("patroni-switchover")).loss_limit_bytes);
  EXPECT_FALSE(budget(stock(), process("kill-process", "postmaster")).loss_limit_bytes);
  EXPECT_EQ(budget(stock(), fault("power-off", "leader", {}, 60)).loss_limit_bytes, 1'048'576);
  FailoverSettings settings = stock();
  settings.synchronous_mode.value = "on";
  EXPECT_FALSE(budget(settings, fault("power-off", "leader", {}, 60)).loss_limit_bytes);
  settings = stock();
  settings.maximum_lag_on_failover_bytes.value.reset();
  EXPECT_TRUE(budget(settings, fault("power-off", "leader", {}, 60)).loss_limit_unknown);
}

TEST(Budget, CarriesASecondCourseWhereAWatchdogMayResetTheHost) {
  const FaultSpec frozen = process("freeze-process", "patroni", "leader", 60);
  EXPECT_FALSE(budget(stock(), frozen).with_watchdog) << "switched off";
  FailoverSettings settings = stock();
  settings.watchdog_mode.value = "automatic";
  const Budget both = budget(settings, frozen);
  ASSERT_TRUE(both.with_watchdog);
  EXPECT_EQ(both.with_watchdog->max_s, 28 + 10) << "etcd's member goes with the host";
  EXPECT_THAT(both.sentence, HasSubstr("watchdog"));
  EXPECT_DOUBLE_EQ(outage_limit(both, true).limit_s, 38 * 1.25 + 3);
  EXPECT_FALSE(expect_budget({.settings = settings, .fault = frozen, .then = {}, .watchdog_device = false})
                   .with_watchdog)
      << "the device is known not to be there";
}

/// A fault that ends before the key expires may pass without a failover.
TEST(Budget, FailoverIsOpenWhereTheFaultEndsEarly) {
  const Budget brief = budget(stock(), fault("power-off", "leader", {}, 15));
  EXPECT_EQ(brief.failover, FailoverForecast::either);
  EXPECT_EQ(brief.read_write.min_s, 15 + 3);
}

TEST(Budget, FurtherFaultsLengthenTheOutageOrMakeTheirOwn) {
  FaultSpec again = fault("patroni-switchover");
  again.after_s = 5;
  const Budget twice = budget(stock(), fault("patroni-switchover"), {again});
  EXPECT_EQ(twice.read_write.min_s, 5) << "apart";
  EXPECT_EQ(twice.read_write.max_s, 10 + 5 + 10) << "in one";
}

TEST(Budget, NoCandidateMeansNoPromotion) {
  const Budget none =
      budget(stock(), fault("hold-receive", "leader", {}, 60), {fault("prevent-start", "leader", {}, 30)});
  EXPECT_EQ(none.read_write.max_s, 60 + 10 + 5 + 15);
  EXPECT_THAT(none.sentence, HasSubstr("No candidate"));
}

TEST(Budget, AVirtualAddressMovesWithinFourAdvertisements) {
  const FaultSpec stopped = process("stop-service", "haproxy", "vip_holder", 60);
  const FailoverSettings settings = stock();
  const Budget moved =
      expect_budget({.settings = settings, .fault = stopped, .then = {}, .virtual_address = true});
  EXPECT_EQ(moved.read_write.max_s, 8);
  EXPECT_EQ(budget(settings, stopped).read_write.max_s, 60) << "without one the way is shut";
}

}  // namespace
}  // namespace pgfiredrill
