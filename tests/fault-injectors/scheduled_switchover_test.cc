#include "fault-injectors/scheduled_switchover.h"

#include <gmock/gmock.h>

#include "tests/fault-injectors/fake_drill.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using testing::FakeDrill;
using ::testing::HasSubstr;
using testing::let_lead;
using ::testing::StartsWith;

/// 2026-11-30 18:45:00 UTC.
constexpr const char* kClock = "1796064300\n";
constexpr const char* kOurs = "2026-11-30T18:45:15.041937+00:00";

std::string cluster_with_schedule(const std::string& at) {
  return R"({"members":[],"scheduled_switchover":{"at":")" + at + R"(","from":"pgnode01"}})";
}

/// A cluster whose Patroni takes a schedule, shows it, and lets it come about when its moment has come.
class ScheduledSwitchover : public ::testing::Test {
 protected:
  ScheduledSwitchover() {
    drill_.on_host = [](const RemoteCommand&) { return RemoteResult{.out = kClock}; };
    drill_.on_rest = [this](const HttpRequest& request) {
      if (request.method == "GET") return HttpResponse{.status = 200, .body = cluster_with_schedule(at_)};
      if (request.method == "DELETE") drill_.probe.now.switchover_scheduled = false;
      if (request.method == "POST") drill_.probe.now.switchover_scheduled = shown_;
      return HttpResponse{.status = request.method == "POST" ? 202 : 200, .body = "Switchover scheduled"};
    };
  }

  std::unique_ptr<Fault> scheduled() {
    return find_fault_kind("patroni-switchover")
        ->make({.kind = "patroni-switchover",
                .target = "leader",
                .options = {{"when", "scheduled"}, {"candidate", "any"}}},
               drill_.tools());
  }

  std::size_t requests_with(const std::string& method) const {
    std::size_t count = 0;
    for (const HttpRequest& request : drill_.http.requests()) count += request.method == method ? 1 : 0;
    return count;
  }

  FakeDrill drill_;
  std::string at_ = kOurs;
  bool shown_ = true;
};

// The schedule is Patroni's to keep, by the clock of the host on which it leads: ours may be wrong by hours.
TEST_F(ScheduledSwitchover, IsDueByTheLeaderHostsClock) {
  const auto due = due_in(15s, drill_.pg1);
  ASSERT_TRUE(due);
  EXPECT_EQ(*due, kOurs);
  EXPECT_FALSE(drill_.pg1.commands().at(0).as_root) << "reading a clock needs no root";
}

TEST_F(ScheduledSwitchover, NeedsAClock) {
  drill_.on_host = [](const RemoteCommand&) { return RemoteResult{.out = "noon\n"}; };
  EXPECT_FALSE(due_in(15s, drill_.pg1));
  drill_.on_host = [](const RemoteCommand&) { return RemoteResult{.exit_status = 127, .err = "no date"}; };
  EXPECT_THAT(due_in(15s, drill_.pg1).error().message(), HasSubstr("no date"));
}

TEST_F(ScheduledSwitchover, IsAcceptedAndComesAboutAtItsMoment) {
  drill_.cluster.settings.loop_wait.value = 10s;
  const auto fault = scheduled();
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  const auto began = drill_.clock.monotonic();
  ASSERT_TRUE(fault->inject());
  EXPECT_EQ(drill_.clock.monotonic() - began, 15s) << "more than a loop ahead, so that it could be cancelled";
  EXPECT_THAT(drill_.http.requests().at(0).body, HasSubstr(std::string{R"("scheduled_at":")"} + kOurs));
  let_lead(drill_.probe.now, "pgnode02", 5);
  const Evidence evidence = fault->verify(30s);
  EXPECT_TRUE(evidence.took);
  EXPECT_THAT(evidence.sentence, HasSubstr(kOurs));
}

TEST_F(ScheduledSwitchover, IsNotProvenWhereTheScheduleWasNeverShown) {
  shown_ = false;
  const auto fault = scheduled();
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  ASSERT_TRUE(fault->inject());
  let_lead(drill_.probe.now, "pgnode02", 5);
  EXPECT_FALSE(fault->verify(3s).took) << "it may be another's switchover";
}

TEST_F(ScheduledSwitchover, IsNotProvenWhereItNeverComesAbout) {
  const auto fault = scheduled();
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  ASSERT_TRUE(fault->inject());
  EXPECT_THAT(fault->verify(3s).sentence, HasSubstr("as before"));
  ASSERT_TRUE(fault->revert());
  EXPECT_EQ(requests_with("DELETE"), 1u) << "what is still pending is cancelled";
}

// Whoever heals knows no more than the fault's name and the member.
TEST_F(ScheduledSwitchover, IsFoundAndCancelledByWhoeverHeals) {
  drill_.probe.now.switchover_scheduled = true;
  const auto healed = drill_.make("patroni-switchover", "pgnode01");
  ASSERT_TRUE(healed->revert());
  EXPECT_EQ(requests_with("DELETE"), 1u);
  ASSERT_TRUE(healed->revert());
  EXPECT_EQ(requests_with("DELETE"), 1u) << "nothing is scheduled any more";
}

TEST_F(ScheduledSwitchover, LeavesWhatAPersonHasScheduled) {
  drill_.probe.now.switchover_scheduled = true;
  for (const char* at : {"2026-12-24T03:00:00+00:00", "2026-11-30T18:45:15.041937+01:00", ""}) {
    at_ = at;
    ASSERT_TRUE(cancel_ours(drill_.tools())) << at;
    EXPECT_EQ(requests_with("DELETE"), 0u) << at;
  }
}

TEST_F(ScheduledSwitchover, IsNotTakenForCancelledWherePatroniDoesNotSaySo) {
  drill_.probe.now.switchover_scheduled = true;
  drill_.on_rest = [](const HttpRequest& request) {
    if (request.method == "GET") return HttpResponse{.status = 200, .body = cluster_with_schedule(kOurs)};
    return HttpResponse{.status = 409, .body = "conflict"};
  };
  EXPECT_FALSE(cancel_ours(drill_.tools()));
  drill_.probe.now.members.clear();
  EXPECT_THAT(cancel_ours(drill_.tools()).error().message(), HasSubstr("Patroni answers nowhere"))
      << "that nobody tells of a schedule does not mean that there is none";
}

TEST_F(ScheduledSwitchover, IsNotInjectedWithoutTheLeadersHost) {
  drill_.cluster.members[0].host.clear();
  const auto fault = scheduled();
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  EXPECT_EQ(fault->inject().error().kind, FailureKind::missing);
  EXPECT_EQ(requests_with("POST"), 0u);
}

TEST_F(ScheduledSwitchover, SaysBeforehandWhatItAsksFor) {
  const auto fault = scheduled();
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  const auto lines = fault->describe();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[1], StartsWith("POST https://10.0.0.1:8008/switchover"));
  EXPECT_THAT(lines[2], StartsWith("DELETE https://10.0.0.1:8008/switchover"));
  EXPECT_THAT(fault->by_hand().at(0), EndsWith("postgres-cluster switchover"));
}

}  // namespace
}  // namespace pgfiredrill::fault
