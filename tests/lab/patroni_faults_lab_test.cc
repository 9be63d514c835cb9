/// Faults by Patroni and by load against the lab: each takes, is proven, and leaves a healthy cluster.

#include <iostream>
#include <memory>

#include <gmock/gmock.h>

#include "cluster/patroni_action.h"
#include "cluster/superuser_session.h"
#include "drivers/traffic_schema.h"
#include "fault-injectors/scheduled_switchover.h"
#include "tests/lab/healthy_lab.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class PatroniFaultsLab : public testing::HealthyLab {
 protected:
  void SetUp() override { look_at_lab(); }

  void TearDown() override {
    if (original_.empty()) return;
    put_leader_back();
    if (traffic_made_) {
      EXPECT_TRUE(drop_traffic_schema(superuser_of_leader()));
    }
    EXPECT_THAT(wait_for_health(), IsEmpty()) << "the lab must be healthy for the next test";
  }

  Tools tools() {
    return {.cluster = cluster_,
            .http = http_,
            .hosts = finder(),
            .probe = *probe_,
            .clock = clock_,
            .helper = helper_,
            .id = "20261130T184500Z-lab.2." + std::to_string(++faults_),
            .power = {},
            .traffic = &traffic_};
  }

  std::unique_ptr<Fault> make(const std::string& kind, const std::string& target,
                              std::map<std::string, std::string> options = {}) {
    return find_fault_kind(kind)->make(
        {.kind = kind, .target = target, .options = std::move(options), .hold_s = 5}, tools());
  }

  void log(const std::string& what, const Evidence& evidence) {
    std::cout << what << ": " << evidence.sentence << "\n";
    EXPECT_TRUE(evidence.took) << what << ": " << evidence.sentence;
  }

  void inject(Fault& fault) {
    const auto aimed = fault.aim(probe_->look());
    ASSERT_TRUE(aimed) << aimed.error().message();
    const auto armed = fault.arm();
    ASSERT_TRUE(armed) << armed.error().message();
    const auto injected = fault.inject();
    EXPECT_TRUE(injected) << injected.error().message();
    log("verified", fault.verify(30s));
  }

  void revert(Fault& fault) {
    const auto reverted = fault.revert();
    EXPECT_TRUE(reverted) << reverted.error().message();
    log("reverted", fault.verify_reverted());
  }

  /// Through its whole life.
  void live(const std::string& kind, const std::string& target,
            std::map<std::string, std::string> options = {}) {
    const auto fault = make(kind, target, std::move(options));
    inject(*fault);
    if (find_fault_kind(kind)->holds) log("held", fault->verify_held());
    revert(*fault);
  }

  ConnectParameters superuser_of_leader() {
    const std::string leader = probe_->look().leader()->name;
    for (const Member& member : cluster_.members) {
      if (member.name != leader) continue;
      auto route = open_superuser_route(cluster_, member, *hosts_.at(member.host));
      if (route) routes_.push_back(std::move(*route));
    }
    return routes_.back().parameters;
  }

  void make_traffic() {
    const auto superuser = superuser_of_leader();
    ASSERT_TRUE(drop_traffic_schema(superuser)) << "left by an earlier test that was killed";
    const TrafficAccess access = make_traffic_access();
    traffic_ = {.database = access.database,
                .user = access.user,
                .password = access.password,
                .sslmode = access.sslmode};
    traffic_made_ = true;
    const auto created = create_traffic_schema(superuser, access, 1);
    ASSERT_TRUE(created) << created.error().message();
  }

  ConnectParameters traffic_;
  bool traffic_made_ = false;
  std::vector<SuperuserRoute> routes_;
  int faults_ = 0;
};

TEST_F(PatroniFaultsLab, RestartsAReplicaInPlace) {
  live("patroni-restart", "replica");
}

TEST_F(PatroniFaultsLab, RebuildsAReplica) {
  live("patroni-reinitialize", "replica");
}

TEST_F(PatroniFaultsLab, PausesAndResumes) {
  for (const Member& member : cluster_.members) ASSERT_TRUE(helper_.prepare(*hosts_.at(member.host)));
  live("patroni-pause", "cluster");
  EXPECT_FALSE(probe_->look().paused);
}

TEST_F(PatroniFaultsLab, ChangesASettingAndSetsItBack) {
  for (const Member& member : cluster_.members) ASSERT_TRUE(helper_.prepare(*hosts_.at(member.host)));
  live("patroni-config", "cluster", {{"change", "loop_wait-5"}});
}

// Cancelled by whoever heals, who knows the member's name and no more.
TEST_F(PatroniFaultsLab, CancelsAScheduleThatIsPending) {
  const PatroniMember leader = *probe_->look().leader();
  const auto due = due_in(60s, *hosts_.at(cluster_.members.at(0).host));
  ASSERT_TRUE(due) << due.error().message();
  const auto taken = ask_patroni(cluster_, http_, leader, switch_over(leader.name, "", *due), 5s);
  ASSERT_TRUE(taken) << taken.error().message();
  ASSERT_TRUE(probe_->look().switchover_scheduled);
  const auto healed = make("patroni-switchover", leader.name);
  ASSERT_TRUE(healed->revert());
  EXPECT_FALSE(probe_->look().switchover_scheduled);
}

TEST_F(PatroniFaultsLab, HoldsATransactionAcrossAScheduledSwitchover) {
  make_traffic();
  const auto held = make("long-transaction", "leader");
  inject(*held);
  const auto switchover =
      make("patroni-switchover", "leader", {{"when", "scheduled"}, {"candidate", "first"}});
  inject(*switchover);
  revert(*switchover);
  log("held", held->verify_held());
  revert(*held);
}

TEST_F(PatroniFaultsLab, StormsWithSessions) {
  make_traffic();
  live("connection-storm", "leader", {{"sessions", "200"}});
  live("held-lock", "leader", {{"lock", "table"}});
}

}  // namespace
}  // namespace pgfiredrill::fault
