#include <gmock/gmock.h>

#include "cluster/cluster_probe.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMaximumLag = 1 << 20;

/// Three members, two balancers, three members of the consensus store; all well.
ClusterSnapshot healthy() {
  ClusterSnapshot snapshot;
  snapshot.members = {{.name = "a", .role = "leader", .state = "running", .timeline = 4},
                      {.name = "b", .role = "replica", .state = "streaming", .timeline = 4, .lag_bytes = 0},
                      {.name = "c", .role = "replica", .state = "streaming", .timeline = 4, .lag_bytes = 16}};
  snapshot.servers = {{"a", {.answered = true}},
                      {"b", {.answered = true, .in_recovery = true}},
                      {"c", {.answered = true, .in_recovery = true}}};
  for (const char* host : {"h1", "h2"}) {
    snapshot.balancers[host] = {{EntryPointRole::primary, {"a"}},
                                {EntryPointRole::replica, {"b", "c"}},
                                {EntryPointRole::replica_sync, {}},
                                {EntryPointRole::replica_async, {"b", "c"}},
                                {EntryPointRole::node, {"a"}}};
  }
  snapshot.consensus_healthy = {"e1", "e2", "e3"};
  snapshot.archiver = ArchiverState{.on = true};
  return snapshot;
}

std::vector<std::string> gaps(const ClusterSnapshot& now) {
  return health_gaps(now, healthy(), kMaximumLag);
}

TEST(HealthGaps, NoneWhereAllIsAsItWas) {
  EXPECT_THAT(gaps(healthy()), IsEmpty());
}

TEST(HealthGaps, NoneAfterASwitchover) {
  ClusterSnapshot now = healthy();
  now.members[0] = {.name = "a", .role = "replica", .state = "streaming", .timeline = 5, .lag_bytes = 0};
  now.members[1] = {.name = "b", .role = "leader", .state = "running", .timeline = 5};
  now.members[2].timeline = 5;
  now.servers["a"].in_recovery = true;
  now.servers["b"].in_recovery = false;
  for (auto& [host, up] : now.balancers) {
    up[EntryPointRole::primary] = {"b"};
    up[EntryPointRole::replica] = up[EntryPointRole::replica_async] = {"a", "c"};
  }
  EXPECT_THAT(gaps(now), IsEmpty());
}

TEST(HealthGaps, NobodyOrSeveralLead) {
  ClusterSnapshot now = healthy();
  now.members[0].role = "replica";
  EXPECT_THAT(gaps(now), ::testing::Contains("Nobody leads."));
  now = healthy();
  now.members[1].role = "master";
  EXPECT_THAT(gaps(now), ::testing::Contains("Several lead: a b."));
  EXPECT_EQ(now.leader(), nullptr);
}

/// Patroni's figure is as old as its last loop: under load that alone looks like a lag.
TEST(HealthGaps, TheServersOwnPositionsCountBeforePatronis) {
  ClusterSnapshot now = healthy();
  now.servers["a"].position = 50'000'000;
  now.servers["c"].position = 49'999'000;
  now.members[2].lag_bytes = 2 * kMaximumLag;
  EXPECT_THAT(gaps(now), IsEmpty());
  now.servers["c"].position = 50'000'000 - kMaximumLag - 1;
  now.members[2].lag_bytes = 0;
  EXPECT_THAT(gaps(now), ElementsAre("c lags by 1048577 bytes."));
}

TEST(HealthGaps, AMemberThatIsGoneStartingBehindOrElsewhere) {
  ClusterSnapshot now = healthy();
  now.members.pop_back();
  EXPECT_THAT(gaps(now), ::testing::Contains("c is no member any more."));

  now = healthy();
  now.members[2].state = "starting";
  EXPECT_THAT(gaps(now), ::testing::Contains("c is starting."));

  now = healthy();
  now.members[2].state = "running";
  EXPECT_THAT(gaps(now), ElementsAre("c is running.")) << "it replays from the archive, and streamed before";

  now = healthy();
  now.members[2].timeline = 3;
  EXPECT_THAT(gaps(now), ElementsAre("c is on timeline 3, its leader on 4."));

  now = healthy();
  now.members[2].lag_bytes = kMaximumLag + 1;
  EXPECT_THAT(gaps(now), ElementsAre("c lags by 1048577 bytes."));
  now.members[2].lag_bytes = kMaximumLag;
  EXPECT_THAT(gaps(now), IsEmpty());
  now.members[2].lag_bytes.reset();
  EXPECT_THAT(gaps(now), ElementsAre("How far c is is not known."));
}

// Older releases of Patroni call a streaming replica running.
TEST(HealthGaps, RunningIsEnoughWherePatroniHasNoOtherWord) {
  ClusterSnapshot before = healthy();
  before.members[1].state = before.members[2].state = "running";
  EXPECT_THAT(health_gaps(before, before, kMaximumLag), IsEmpty());
}

// Whoever heals has no better baseline than a cluster in trouble, where nobody may stream.
TEST(HealthGaps, RunningIsNotEnoughWhereAnotherStreams) {
  ClusterSnapshot baseline = healthy();
  for (PatroniMember& member : baseline.members) member.state = "running";
  ClusterSnapshot now = healthy();
  now.members[1].state = "running";
  EXPECT_THAT(health_gaps(now, baseline, kMaximumLag), ElementsAre("b is running."));
}

TEST(HealthGaps, AServerThatIsSilentOrDisagreesWithPatroni) {
  ClusterSnapshot now = healthy();
  now.servers["b"] = {.why_not = "frozen"};
  EXPECT_THAT(gaps(now), ElementsAre("PostgreSQL of b does not answer (frozen)."));
  now = healthy();
  now.servers.erase("b");
  EXPECT_THAT(gaps(now), ElementsAre("PostgreSQL of b was not asked."));
  now = healthy();
  now.servers["a"].in_recovery = true;
  EXPECT_THAT(gaps(now), ElementsAre(HasSubstr("a is leader by Patroni, but its PostgreSQL is in recovery")));
  now = healthy();
  now.servers["c"].in_recovery = false;
  EXPECT_THAT(gaps(now), ElementsAre(HasSubstr("is not in recovery"))) << "two take writes";
}

TEST(HealthGaps, TheConsensusStoreLacksOneThatItHad) {
  ClusterSnapshot now = healthy();
  now.consensus_healthy.erase("e2");
  EXPECT_THAT(gaps(now), ElementsAre("e2 of the consensus store is not healthy."));
}

TEST(HealthGaps, ABalancerIsBehindOrSilent) {
  ClusterSnapshot now = healthy();
  now.balancers["h2"][EntryPointRole::replica] = {"c"};
  EXPECT_THAT(gaps(now), ElementsAre("The balancer on h2 has c up as replica, by Patroni it is b c."));
  now.balancers["h2"][EntryPointRole::replica] = {"a", "b", "c"};
  EXPECT_THAT(gaps(now), ElementsAre(HasSubstr("has a b c up as replica")));
  now = healthy();
  now.balancers.erase("h1");
  EXPECT_THAT(gaps(now), ElementsAre("The balancer on h1 does not answer."));
}

TEST(HealthGaps, BalancersFollowTagsAndSynchronousRoles) {
  ClusterSnapshot now = healthy();
  now.members[1].role = "sync_standby";
  now.members[2].tags = {{"noloadbalance", "true"}};
  for (auto& [host, up] : now.balancers) {
    up[EntryPointRole::replica] = up[EntryPointRole::replica_sync] = {"b"};
    up[EntryPointRole::replica_async] = {};
  }
  EXPECT_THAT(gaps(now), IsEmpty());
}

TEST(HealthGaps, ArchivingHasNotResumed) {
  ClusterSnapshot now = healthy();
  now.archiver->failing = true;
  EXPECT_THAT(gaps(now), ElementsAre("Archiving fails."));
  now = healthy();
  now.archiver->waiting = 2;
  EXPECT_THAT(gaps(now), ElementsAre("2 segments wait for archiving."));
  now = healthy();
  now.archiver->on = false;
  EXPECT_THAT(gaps(now), ElementsAre("Archiving is off."));
  now = healthy();
  now.archiver.reset();
  EXPECT_THAT(gaps(now), ElementsAre("Whether the leader archives is not known."));
}

TEST(HealthGaps, PausedOrAboutToSwitchOver) {
  ClusterSnapshot now = healthy();
  now.paused = now.switchover_scheduled = true;
  EXPECT_THAT(gaps(now), ElementsAre("Patroni is paused.", "A switchover is scheduled."));
}

TEST(HealthGaps, PatroniAnswersNowhere) {
  ClusterSnapshot now = healthy();
  now.members.clear();
  EXPECT_THAT(gaps(now), ::testing::Contains("Patroni answers nowhere."));
}

}  // namespace
}  // namespace pgfiredrill
