// What Patroni is asked to do at once: a switchover to a candidate, a failover, a restart, a rebuild.

#include <gmock/gmock.h>

#include "fault-injectors/change_of_leader.h"
#include "tests/fault-injectors/fake_drill.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FakeDrill;
using ::testing::HasSubstr;
using testing::let_lead;

ClusterSnapshot three_members() {
  ClusterSnapshot now = testing::two_members();
  now.members.push_back({.name = "pgnode03",
                         .role = "sync_standby",
                         .state = "streaming",
                         .api_url = "https://10.0.0.3:8008/patroni",
                         .timeline = 4,
                         .lag_bytes = 0});
  now.servers["pgnode03"] = {.answered = true, .in_recovery = true, .postmaster_start = "444"};
  return now;
}

/// `state` by GET /patroni.
HttpResponse node_in(const std::string& state) {
  return {.status = 200, .body = R"({"state":")" + state + R"(","patroni":{"version":"4.0.7"}})"};
}

TEST(ChangeOfLeader, PutsTheSynchronousCandidatesFirst) {
  ClusterSnapshot now = three_members();
  EXPECT_THAT(candidates(now), ElementsAre("pgnode03", "pgnode02"));
  now.members[2].tags = {{"nofailover", "true"}};
  now.members[1].state = "start failed";
  EXPECT_THAT(candidates(now), ElementsAre());
}

TEST(PatroniSwitchover, NamesTheCandidateThatItIsToldTo) {
  FakeDrill drill;
  drill.probe.now = three_members();
  const auto fault = find_fault_kind("patroni-switchover")
                         ->make({.kind = "patroni-switchover",
                                 .target = "leader",
                                 .options = {{"when", "now"}, {"candidate", "first"}}},
                                drill.tools());
  ASSERT_TRUE(fault->aim(drill.probe.now));
  ASSERT_TRUE(fault->inject());
  EXPECT_EQ(drill.http.requests().at(0).body, R"({"leader":"pgnode01","candidate":"pgnode03"})");
  let_lead(drill.probe.now, "pgnode02", 5);
  EXPECT_THAT(fault->verify(2s).sentence, HasSubstr("pgnode03 was asked for"));
  let_lead(drill.probe.now, "pgnode03", 5);
  EXPECT_TRUE(fault->verify(2s).took);
  EXPECT_TRUE(fault->revert());
  EXPECT_EQ(drill.http.requests().size(), 1u) << "nothing was scheduled that could be cancelled";
}

TEST(PatroniFailover, PromotesTheNamedMember) {
  FakeDrill drill;
  drill.probe.now = three_members();
  const auto fault = drill.make("patroni-failover");
  ASSERT_TRUE(fault->aim(drill.probe.now));
  EXPECT_EQ(fault->target(), "pgnode01");
  EXPECT_THAT(fault->describe(),
              ElementsAre(R"(POST https://10.0.0.1:8008/failover {"candidate":"pgnode03"})"));
  ASSERT_TRUE(fault->inject());
  EXPECT_EQ(drill.http.requests().at(0).path, "/failover");
  EXPECT_THAT(fault->verify(2s).sentence, HasSubstr("as before"));
  let_lead(drill.probe.now, "pgnode02", 5);
  EXPECT_FALSE(fault->verify(2s).took) << "another one than was asked for";
  let_lead(drill.probe.now, "pgnode03", 5);
  EXPECT_TRUE(fault->verify(2s).took);
}

TEST(PatroniFailover, IsDangerousWhereOthersWrite) {
  EXPECT_EQ(find_fault_kind("patroni-failover")->danger({}), Danger::may_failover);
}

TEST(PatroniRestart, IsProvenByAnotherPostmaster) {
  FakeDrill drill;
  const auto fault = drill.make("patroni-restart", "replica");
  ASSERT_TRUE(fault->aim(drill.probe.now));
  EXPECT_EQ(fault->target(), "pgnode02");
  EXPECT_THAT(fault->describe(), ElementsAre("POST https://10.0.0.2:8008/restart {}"));
  ASSERT_TRUE(fault->inject());
  EXPECT_FALSE(fault->verify(2s).took) << "the postmaster is the same";
  drill.probe.now.servers["pgnode02"] = {.why_not = "starting"};
  EXPECT_FALSE(fault->verify(2s).took) << "that it does not answer is no restart yet";
  drill.probe.now.servers["pgnode02"] = {.answered = true, .in_recovery = true, .postmaster_start = "333"};
  EXPECT_TRUE(fault->verify(2s).took);
  EXPECT_TRUE(fault->verify_reverted().took);
}

// Without the start of the postmaster before, a restart could not be told from none.
TEST(PatroniRestart, IsNotAimedAtWhoDoesNotAnswer) {
  FakeDrill drill;
  drill.probe.now.servers["pgnode02"] = {.why_not = "busy"};
  EXPECT_EQ(drill.make("patroni-restart", "replica")->aim(drill.probe.now).error().kind,
            FailureKind::missing);
}

TEST(PatroniRestart, SaysWhatPatroniSaysOfItsEnd) {
  FakeDrill drill;
  drill.on_rest = [](const HttpRequest&) {
    return HttpResponse{.status = 503, .body = "postgres is still starting"};
  };
  const auto fault = drill.make("patroni-restart", "leader");
  ASSERT_TRUE(fault->aim(drill.probe.now));
  const auto failure = fault->inject().error();
  EXPECT_TRUE(failure.transaction_in_doubt) << "it was begun";
  EXPECT_THAT(failure.message(), HasSubstr("still starting"));
}

TEST(PatroniReinitialize, NeverAimsAtALeader) {
  FakeDrill drill;
  const auto refused = drill.make("patroni-reinitialize", "pgnode01")->aim(drill.probe.now);
  EXPECT_THAT(refused.error().message(), HasSubstr("it leads"));
  drill.probe.now.members[0].role = "replica";
  EXPECT_THAT(drill.make("patroni-reinitialize", "pgnode02")->aim(drill.probe.now).error().message(),
              HasSubstr("nobody leads"));
  EXPECT_TRUE(drill.http.requests().empty());
}

// The member's own word: what stands in the consensus store is as old as its last turn.
TEST(PatroniReinitialize, IsProvenByTheMemberThatIsBeingRebuilt) {
  FakeDrill drill;
  int asked = 0;
  drill.on_rest = [&](const HttpRequest& request) {
    if (request.method == "POST") return HttpResponse{.status = 200, .body = "reinitialize started"};
    return node_in(++asked < 3 ? "stopping" : "creating replica");
  };
  const auto fault = drill.make("patroni-reinitialize", "replica");
  ASSERT_TRUE(fault->aim(drill.probe.now));
  ASSERT_TRUE(fault->inject());
  EXPECT_EQ(drill.http.requests().at(0).body, R"({"force":true})");
  const auto began = drill.clock.monotonic();
  EXPECT_TRUE(fault->verify(30s).took);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(drill.clock.monotonic() - began, 2s) << "one question a second: each costs the host CPU";
}

TEST(PatroniReinitialize, IsNotProvenByAMemberThatGoesOn) {
  FakeDrill drill;
  drill.on_rest = [&](const HttpRequest&) { return node_in("running"); };
  const auto fault = drill.make("patroni-reinitialize", "replica");
  ASSERT_TRUE(fault->aim(drill.probe.now));
  const Evidence evidence = fault->verify(5s);
  EXPECT_FALSE(evidence.took);
  EXPECT_THAT(evidence.sentence, HasSubstr("running"));
}

TEST(PatroniReinitialize, IsOverWhenANewServerStreams) {
  FakeDrill drill;
  const auto fault = drill.make("patroni-reinitialize", "replica");
  ASSERT_TRUE(fault->aim(drill.probe.now));
  drill.probe.before_look = [&](int look) {
    if (look == 70) drill.probe.now.servers["pgnode02"].postmaster_start = "333";
  };
  EXPECT_TRUE(fault->verify_reverted().took);
  EXPECT_EQ(drill.probe.looks, 70) << "Patroni's word alone is as old as before the rebuild";
}

}  // namespace
}  // namespace pgfiredrill::fault
