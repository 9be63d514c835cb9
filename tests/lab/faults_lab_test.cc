/// Faults against the lab: each takes, is proven, and leaves a healthy cluster; what a killed run leaves
/// behind is healed.

#include <chrono>
#include <iostream>
#include <memory>

#include <gmock/gmock.h>

#include "cluster/cluster_probe.h"
#include "fault-injectors/fault.h"
#include "fault-injectors/heal.h"
#include "tests/lab/healthy_lab.h"
#include "tests/support/environment_guard.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FaultsLab : public testing::HealthyLab {
 protected:
  void SetUp() override {
    environment_.set("XDG_STATE_HOME", directory_.path().string());
    look_at_lab();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_THAT(baseline_.troubles, IsEmpty());
  }

  void TearDown() override {
    if (original_.empty()) return;
    put_leader_back();
    EXPECT_THAT(wait_for_health(), IsEmpty()) << "the lab must be healthy for the next test";
    EXPECT_EQ(probe_->look().leader()->name, original_);
  }

  Tools tools() {
    return {.cluster = cluster_,
            .http = http_,
            .hosts = finder(),
            .probe = *probe_,
            .clock = clock_,
            .helper = helper_,
            .id = "20261130T184500Z-lab.1.1"};
  }

  std::vector<Host*> hosts_to_lock_here() {
    std::vector<Host*> hosts;
    for (const std::string& name : hosts_to_lock(cluster_)) hosts.push_back(hosts_.at(name).get());
    return hosts;
  }

  std::unique_ptr<Fault> make(const std::string& kind) {
    return find_fault_kind(kind)->make({.kind = kind, .target = "leader"}, tools());
  }

  /// Injects at the victim of now and sees it proven.
  void inject_and_verify(Fault& fault) {
    ASSERT_TRUE(fault.aim(probe_->look()));
    const auto sent = clock_.monotonic();
    const auto injected = fault.inject();
    ASSERT_TRUE(injected) << injected.error().message();
    const Evidence evidence = fault.verify(30s);
    std::cout << evidence.sentence << " (" << (clock_.monotonic() - sent).count() / 1'000'000 << " ms)\n";
    EXPECT_TRUE(evidence.took);
  }

  testing::TemporaryDirectory directory_;
  testing::EnvironmentGuard environment_;
};

TEST_F(FaultsLab, LooksAtEveryLayerWithinASecond) {
  const auto begun = clock_.monotonic();
  const ClusterSnapshot now = probe_->look();
  const auto took = clock_.monotonic() - begun;
  EXPECT_LT(took, 1s);
  std::cout << "a look took " << took.count() / 1'000'000 << " ms\n";
  EXPECT_EQ(now.members.size(), 3u);
  EXPECT_EQ(now.servers.size(), 3u);
  EXPECT_TRUE(now.servers.at(original_).postmaster_pid.has_value());
  EXPECT_EQ(now.consensus_healthy.size(), 3u);
  ASSERT_EQ(now.balancers.size(), 3u);
  for (const auto& [host, listeners] : now.balancers) {
    EXPECT_THAT(listeners.at(EntryPointRole::primary), ::testing::ElementsAre(original_)) << host;
    EXPECT_EQ(listeners.at(EntryPointRole::replica).size(), 2u) << host;
  }
  ASSERT_TRUE(now.archiver.has_value());
  EXPECT_TRUE(now.archiver->on);
}

TEST_F(FaultsLab, MayAskForASwitchoverOnlyWithCredentials) {
  EXPECT_TRUE(may_switch_over(cluster_, http_, *baseline_.leader()));
  ClusterDescription stranger = cluster_;
  stranger.access.rest_password = Secret{"wrong"};
  EXPECT_EQ(may_switch_over(stranger, http_, *baseline_.leader()).error().kind, FailureKind::denied);
  EXPECT_EQ(request_switchover(stranger, http_, *baseline_.leader(), "", 30s).error().kind,
            FailureKind::denied);
  const auto nobody = request_switchover(cluster_, http_, *baseline_.leader(), "no-such-member", 30s);
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().came_back, HasSubstr("412"));
}

TEST_F(FaultsLab, SwitchesOver) {
  const auto fault = make("patroni-switchover");
  ASSERT_NO_FATAL_FAILURE(inject_and_verify(*fault));
  EXPECT_TRUE(fault->revert());
  EXPECT_TRUE(fault->verify_reverted().took);
  EXPECT_THAT(wait_for_health(), IsEmpty());
}

// A run that dies in the middle of a fault: locked, armed, another leader.
TEST_F(FaultsLab, HealsWhatAKilledRunLeavesBehind) {
  const std::string dead = "root@nowhere pid 1 boot gone";
  HostLocks locks{hosts_to_lock_here(), "lab-run", dead};
  const auto taken = locks.take();
  ASSERT_TRUE(taken) << taken.error().message();
  const auto fault = make("patroni-switchover");
  ASSERT_TRUE(fault->aim(probe_->look()));
  ASSERT_TRUE(
      locks.write_armed({{.kind = "database", .name = "pgfiredrill"},
                         {.kind = "leader", .name = original_},
                         {.kind = "fault", .name = "patroni-switchover", .detail = fault->target()}}));
  ASSERT_TRUE(fault->inject());
  EXPECT_FALSE((HostLocks{hosts_to_lock_here(), "other-run", this_owner()}.take())) << "one run at a time";

  const auto journal = Journal::open(cluster_.name);
  ASSERT_TRUE(journal);
  int dropped = 0;
  const HealSeams seams{.tools = tools(),
                        .journal = journal->get(),
                        .hosts = hosts_to_lock_here(),
                        .drop_traffic = [&]() -> Result<void> {
                          ++dropped;
                          return {};
                        },
                        .say = [](const std::string& sentence) { std::cout << sentence << '\n'; },
                        .owner_is_dead = [&](const std::string& owner) { return owner == dead; }};
  const auto report = heal(seams, "lab-heal");
  ASSERT_TRUE(report) << report.error().message();
  for (const std::string& sentence : report->done) std::cout << sentence << '\n';
  EXPECT_THAT(report->left, IsEmpty());
  EXPECT_EQ(dropped, 1);
  EXPECT_EQ(probe_->look().leader()->name, original_);
  std::vector<Failure> not_reached;
  for (const HostState& state : locks.look(not_reached)) {
    EXPECT_EQ(state.lock_run, "") << state.host;
    EXPECT_THAT(state.armed, IsEmpty()) << state.host;
  }
  EXPECT_THAT(not_reached, IsEmpty());
  EXPECT_THAT((*journal)->open_runs().value(), IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill::fault
