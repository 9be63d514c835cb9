#include "fault-injectors/patroni_switchover.h"

#include <gmock/gmock.h>

#include "tests/fault-injectors/fake_drill.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using testing::FakeDrill;
using ::testing::HasSubstr;
using testing::let_lead;
using ::testing::Not;

constexpr const char* kKind = "patroni-switchover";

TEST(FaultKinds, AreKnownByName) {
  ASSERT_NE(find_fault_kind(kKind), nullptr);
  EXPECT_EQ(find_fault_kind(kKind)->danger({}), Danger::none);
  EXPECT_EQ(
      find_fault_kind("kill-process")->danger({.target = "leader", .options = {{"service", "postmaster"}}}),
      Danger::may_failover);
  EXPECT_EQ(find_fault_kind("meteor"), nullptr);
  for (const FaultKind& kind : fault_kinds()) {
    EXPECT_FALSE(kind.targets.empty()) << kind.name;
    EXPECT_NE(std::string{kind.proves}, "");
    EXPECT_NE(std::string{kind.undone_by}, "");
  }
}

TEST(PatroniSwitchover, AimsAtTheLeader) {
  FakeDrill drill;
  const auto fault = drill.make(kKind);
  ASSERT_TRUE(fault->aim(drill.probe.now));
  EXPECT_EQ(fault->target(), "pgnode01");
  ASSERT_EQ(fault->describe().size(), 1u);
  EXPECT_EQ(fault->describe()[0], R"(POST https://10.0.0.1:8008/switchover {"leader":"pgnode01"})");
  EXPECT_THAT(fault->describe()[0], Not(HasSubstr("secret")));
}

TEST(PatroniSwitchover, HasNoTargetWithoutALeaderOrACandidate) {
  FakeDrill drill;
  ClusterSnapshot now = drill.probe.now;
  now.members[0].role = "replica";
  EXPECT_EQ(drill.make(kKind)->aim(now).error().kind, FailureKind::missing);
  now = drill.probe.now;
  now.members[1].role = "leader";
  EXPECT_EQ(drill.make(kKind)->aim(now).error().kind, FailureKind::missing);
  now = drill.probe.now;
  now.members[1].tags = {{"nofailover", "true"}};
  EXPECT_THAT(drill.make(kKind)->aim(now).error().message(), HasSubstr("no other member could lead"));
  now = drill.probe.now;
  now.members[1].state = "starting";
  EXPECT_EQ(drill.make(kKind)->aim(now).error().kind, FailureKind::missing);
}

TEST(PatroniSwitchover, AsksPatroniAndLeavesItTheTimeItTakes) {
  FakeDrill drill;
  drill.cluster.settings.loop_wait.value = 30s;
  const auto fault = drill.make(kKind);
  ASSERT_TRUE(fault->aim(drill.probe.now));
  ASSERT_TRUE(fault->inject());
  const HttpRequest request = drill.http.requests().at(0);
  EXPECT_EQ(request.body, R"({"leader":"pgnode01"})");
  EXPECT_GT(request.deadline, 60s) << "it waits twice loop_wait";
}

TEST(PatroniSwitchover, SaysWhetherARefusalMayHaveTaken) {
  FakeDrill drill;
  const auto fault = drill.make(kKind);
  ASSERT_TRUE(fault->aim(drill.probe.now));
  drill.on_rest = [](const HttpRequest&) {
    return HttpResponse{.status = 412, .body = "no good candidates"};
  };
  EXPECT_FALSE(fault->inject().error().transaction_in_doubt);
  drill.on_rest = [](const HttpRequest&) { return HttpResponse{.status = 503, .body = "status unknown"}; };
  EXPECT_TRUE(fault->inject().error().transaction_in_doubt);
}

TEST(PatroniSwitchover, IsProvenByAnotherLeaderThatTakesWrites) {
  FakeDrill drill;
  const auto fault = drill.make(kKind);
  ASSERT_TRUE(fault->aim(drill.probe.now));
  drill.probe.before_look = [&](int look) {
    if (look == 2) drill.probe.now.members[0].role = "replica";  // nobody
    if (look == 3) let_lead(drill.probe.now, "pgnode02", 4);     // not yet on its timeline
    if (look == 4) {
      let_lead(drill.probe.now, "pgnode02", 5);
      drill.probe.now.servers["pgnode02"].in_recovery = true;
    }
    if (look == 5) drill.probe.now.servers["pgnode02"] = {.why_not = "busy"};
    if (look == 6) drill.probe.now.servers["pgnode02"] = {.answered = true};
  };
  const Evidence evidence = fault->verify(30s);
  EXPECT_TRUE(evidence.took);
  EXPECT_EQ(drill.probe.looks, 6) << "each of the looks before lacked something";
  EXPECT_THAT(evidence.sentence, HasSubstr("pgnode02 is leader, running, on timeline 5 after pgnode01"));
}

TEST(PatroniSwitchover, IsNotProvenWhenTheTimeIsOver) {
  FakeDrill drill;
  const auto fault = drill.make(kKind);
  ASSERT_TRUE(fault->aim(drill.probe.now));
  const auto begun = drill.clock.monotonic();
  const Evidence evidence = fault->verify(10s);
  EXPECT_FALSE(evidence.took);
  EXPECT_THAT(evidence.sentence, HasSubstr("as before"));
  EXPECT_LE(drill.clock.monotonic() - begun, 10s);
  EXPECT_LE(drill.probe.looks, 11) << "one look a second";
}

TEST(PatroniSwitchover, IsOverWhenTheOldLeaderFollows) {
  FakeDrill drill;
  const auto fault = drill.make(kKind, "pgnode01");  // as healing makes it
  EXPECT_EQ(fault->target(), "pgnode01");
  EXPECT_TRUE(fault->revert());
  let_lead(drill.probe.now, "pgnode02", 5);
  drill.probe.now.members[0].state = "stopping";
  drill.probe.before_look = [&](int look) {
    if (look == 3) drill.probe.now.members[0].state = "streaming";
  };
  EXPECT_TRUE(fault->verify_reverted().took);
  EXPECT_EQ(drill.probe.looks, 3);

  drill.probe.now.members[0].state = "start failed";
  const Evidence never = fault->verify_reverted();
  EXPECT_FALSE(never.took);
  EXPECT_THAT(never.sentence, HasSubstr("start failed"));
}

}  // namespace
}  // namespace pgfiredrill::fault
