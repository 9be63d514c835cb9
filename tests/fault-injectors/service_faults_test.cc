/// Faults that hit one service of a host: what is planned where, and who must say that it took.

#include <gmock/gmock.h>

#include "fault-injectors/services.h"
#include "tests/fault-injectors/fake_helper.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostDrill;
using ::testing::IsEmpty;

void arm_and_inject(Fault& fault) {
  ASSERT_TRUE(fault.arm());
  ASSERT_TRUE(fault.inject());
}

TEST(KillProcess, SendsTheSignalToThePostmasterOfTheMembersData) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "kill-process"});
  EXPECT_EQ(fault->target(), "pgnode01");
  ASSERT_TRUE(fault->arm());
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("kill postmaster KILL /data/17/main"));
  EXPECT_THAT(drill.on_pg2.broken(), IsEmpty());
}

TEST(KillProcess, KillsEachOfSeveralPoolers) {
  HostDrill drill;
  for (const char* host : {"pg1", "pg1", "pg2"})
    drill.drill.cluster.versions.push_back({host, "pgbouncer", "1.24"});
  const auto fault =
      drill.aimed({.kind = "kill-process", .options = {{"service", "pgbouncer"}, {"signal", "INT"}}});
  ASSERT_TRUE(fault->arm());
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("kill pgbouncer INT", "kill pgbouncer-2 INT"));
}

// PostgreSQL's own processes end in their own way on other signals: the helper would refuse it later.
TEST(KillProcess, RefusesAllOfPostgresqlWithAnotherSignal) {
  HostDrill drill;
  EXPECT_THAT(
      drill.refusal({.kind = "kill-process", .options = {{"service", "postgresql"}, {"signal", "INT"}}}),
      HasSubstr("only SIGKILL"));
}

TEST(KillProcess, IsProvenByAnotherPostmasterAndTheHost) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "kill-process"});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  const Evidence same = fault->verify(3s);
  EXPECT_FALSE(same.took);
  EXPECT_THAT(same.sentence, HasSubstr("the same PostgreSQL"));
  drill.drill.probe.now.servers["pgnode01"].postmaster_start = "333";
  EXPECT_TRUE(fault->verify(3s).took);
  drill.on_pg1.in_force = false;
  EXPECT_FALSE(fault->verify(3s).took) << "the host says that the process is still there";
}

TEST(KillProcess, IsProvenByNoServerAtAll) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "kill-process"});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  drill.drill.probe.now.servers["pgnode01"] = {.why_not = "refused"};
  EXPECT_TRUE(fault->verify(3s).took);
}

// A server that did not answer before cannot be told from another afterwards.
TEST(KillProcess, IsNotProvenByAServerThatWasNotKnown) {
  HostDrill drill;
  drill.drill.probe.now.servers["pgnode01"] = {.why_not = "slow"};
  const auto fault = drill.aimed({.kind = "kill-process"});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  drill.drill.probe.now.servers["pgnode01"] = {.answered = true, .postmaster_start = "111"};
  EXPECT_FALSE(fault->verify(3s).took);
}

TEST(KillProcess, NeedsAMemberWhereItKillsPostgresql) {
  HostDrill drill;
  drill.drill.cluster.hosts.push_back({.name = "balancer1", .address = "127.0.0.3"});
  EXPECT_THAT(drill.refusal({.kind = "kill-process", .target = "balancer1"}), HasSubstr("no member"));
  EXPECT_EQ(
      drill.refusal({.kind = "kill-process", .target = "balancer1", .options = {{"service", "haproxy"}}}),
      "it was aimed");
}

// Without patroni.yml PostgreSQL itself is asked, which takes a superuser's password.
TEST(KillProcess, CannotFindDataThatNobodyTellsOf) {
  HostDrill drill;
  drill.drill.cluster.members[0].data_directory.clear();
  EXPECT_THAT(drill.refusal({.kind = "kill-process"}), HasSubstr("superuser"));
}

TEST(StopService, StopsOneOfTwoOrAll) {
  HostDrill drill;
  ASSERT_TRUE(
      drill.aimed({.kind = "stop-service", .target = "all", .options = {{"service", "patroni"}}})->arm());
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("stop patroni"));
  EXPECT_THAT(drill.on_pg2.broken(), ElementsAre("stop patroni"));
}

TEST(StopService, HitsTheHostThatHasTheAddress) {
  HostDrill drill;
  const auto fault =
      drill.aimed({.kind = "stop-service", .target = "vip_holder", .options = {{"service", "keepalived"}}});
  ASSERT_TRUE(fault->arm());
  EXPECT_THAT(drill.on_pg1.broken(), IsEmpty());
  EXPECT_THAT(drill.on_pg2.broken(), ElementsAre("stop keepalived"));
}

struct Sign {
  const char* service;
  std::function<void(HostDrill&)> go_down;
};

class ShownByTheCluster : public ::testing::TestWithParam<Sign> {};

// The helper may say what it likes: a service that still answers is not down.
TEST_P(ShownByTheCluster, IsNotProvenWhileTheServiceAnswers) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "freeze-process", .options = {{"service", GetParam().service}}});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  EXPECT_FALSE(fault->verify(3s).took);
  GetParam().go_down(drill);
  const Evidence down = fault->verify(3s);
  EXPECT_TRUE(down.took) << down.sentence;
  EXPECT_THAT(down.sentence, HasSubstr("does not answer"));
}

INSTANTIATE_TEST_SUITE_P(
    Services, ShownByTheCluster,
    ::testing::Values(
        Sign{"postgresql",
             [](HostDrill& drill) { drill.drill.probe.now.servers["pgnode01"] = {.why_not = "?"}; }},
        Sign{"patroni", [](HostDrill& drill) { drill.rest_answers = false; }},
        Sign{"etcd", [](HostDrill& drill) { drill.drill.probe.now.consensus_healthy.erase("etcd1"); }},
        Sign{"haproxy", [](HostDrill& drill) { drill.drill.probe.now.balancers.erase("pg1"); }}),
    [](const auto& named) { return std::string{named.param.service}; });

// Sessions that stand go on working: nothing in the cluster need show it.
TEST(FreezeProcess, OfThePostmasterIsProvenByTheHostAlone) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "freeze-process", .options = {{"service", "postmaster"}}});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  EXPECT_TRUE(fault->verify(3s).took);
}

// A certificate that is not trusted came from somebody who answers.
TEST(FreezeProcess, IsNotProvenByAnAnswerThatIsNotBelieved) {
  HostDrill drill;
  drill.drill.on_rest = [](const HttpRequest&) -> Result<HttpResponse> {
    return Failure{.kind = FailureKind::untrusted, .what = "ask REST", .came_back = "another certificate"};
  };
  const auto fault = drill.aimed({.kind = "freeze-process", .options = {{"service", "patroni"}}});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  EXPECT_FALSE(fault->verify(3s).took);
}

TEST(FreezeProcess, ThatEndedEarlyIsSeenBeforeTheRevert) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "freeze-process", .options = {{"service", "postmaster"}}});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  EXPECT_TRUE(fault->verify_held().took);
  drill.on_pg1.in_force = false;
  EXPECT_FALSE(fault->verify_held().took);
}

TEST(PreventStart, IsProvenByASilentServer) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "prevent-start", .target = "replica"});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  EXPECT_THAT(drill.on_pg2.broken(), ElementsAre("prevent-start /data/17/main"));
  EXPECT_FALSE(fault->verify(3s).took);
  drill.drill.probe.now.servers["pgnode02"] = {.why_not = "refused"};
  EXPECT_TRUE(fault->verify(3s).took);
}

TEST(ReloadService, TakesTheHelpersWord) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "reload-service", .target = "all"});
  ASSERT_NO_FATAL_FAILURE(arm_and_inject(*fault));
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("reload haproxy"));
  EXPECT_TRUE(fault->verify(3s).took);
}

TEST(DiskFaults, NameTheDataAndTheReserve) {
  HostDrill drill;
  ASSERT_TRUE(drill.aimed({.kind = "fill-disk", .options = {{"reserve_mb", "256"}}})->arm());
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("fill /data/17/main 256"));
  ASSERT_TRUE(drill.aimed({.kind = "freeze-disk", .target = "pgnode02"})->arm());
  EXPECT_THAT(drill.on_pg2.broken(), ElementsAre("freeze-disk /data/17/main"));
}

// What destroys others' acknowledged writes is refused where they write; what cannot must not be.
TEST(DangerOfFaults, IsThatOfTheLeadersWay) {
  const auto danger = [](FaultSpec spec) { return find_fault_kind(spec.kind)->danger(spec); };
  for (const FaultSpec& spec : std::vector<FaultSpec>{
           {.kind = "kill-process", .target = "leader", .options = {{"service", "postmaster"}}},
           {.kind = "stop-service", .target = "all", .options = {{"service", "patroni"}}},
           {.kind = "stop-service", .target = "etcd_quorum", .options = {{"service", "etcd"}}},
           {.kind = "freeze-process", .target = "pg1", .options = {{"service", "postgresql"}}},
           {.kind = "crash-loop", .target = "vip_holder", .options = {{"service", "patroni"}}},
           {.kind = "prevent-start", .target = "leader"},
           {.kind = "reboot-host", .target = "etcd_leader"},
           {.kind = "power-off", .target = "all"},
           {.kind = "cut-network", .target = "leader", .options = {{"from", "peers"}}},
           {.kind = "cut-network", .target = "all", .options = {{"from", "consensus"}}},
           {.kind = "hold-receive", .target = "leader"},
           {.kind = "fill-disk", .target = "leader"},
           {.kind = "freeze-disk", .target = "leader"}})
    EXPECT_EQ(danger(spec), Danger::may_failover) << spec.kind << " " << spec.target;
  for (const FaultSpec& spec : std::vector<FaultSpec>{
           {.kind = "kill-process", .target = "replica", .options = {{"service", "postgresql"}}},
           {.kind = "stop-service", .target = "leader", .options = {{"service", "pgbouncer"}}},
           {.kind = "stop-service", .target = "etcd_leader", .options = {{"service", "etcd"}}},
           {.kind = "freeze-process", .target = "balancer", .options = {{"service", "haproxy"}}},
           {.kind = "prevent-start", .target = "replica"},
           {.kind = "reboot-host", .target = "replica"},
           {.kind = "cut-network", .target = "leader", .options = {{"from", "repository1"}}},
           {.kind = "cut-network", .target = "replica", .options = {{"from", "peers"}}},
           {.kind = "reload-service", .target = "all", .options = {{"service", "haproxy"}}}})
    EXPECT_EQ(danger(spec), Danger::none) << spec.kind << " " << spec.target;
}

}  // namespace
}  // namespace pgfiredrill::fault
