#include "measure/setting_findings.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;

DrillPlan restart_in_place() {
  DrillPlan plan{.name = "postmaster-kill", .fault = {.kind = "kill-process", .target = "leader"}};
  plan.budget.emplace();
  plan.budget->read_write = {
      .min_s = 4,
      .max_s = 30,
      .parts = {
          {.name = "notices", .max_s = 10, .setting = "loop_wait", .value = "10 s"},
          {.name = "recovery", .min_s = 1, .max_s = 5},
          {.name = "retries", .min_s = 3, .max_s = 15, .setting = "server_login_retry", .value = "15 s"}}};
  return plan;
}

RepeatResult down_for(double outage_s, std::size_t failovers = 0) {
  RepeatResult repeat;
  repeat.failovers = failovers;
  PathResult path;
  path.path = {.id = "pg1:5000/read_write/fresh", .depth = Depth::balancer, .access = Access::read_write};
  path.outage_s = outage_s;
  repeat.paths = {path};
  return repeat;
}

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> list;
  for (const Finding& finding : findings) list.push_back(finding.id);
  return list;
}

/// 15.0 s after a kill that Patroni mended within 6 s: PgBouncer's wait, and it has a remedy.
TEST(SettingFindings, LaysARestartInPlaceToTheRetryOfThePooler) {
  const auto findings = find_costly_settings("kill, repeat 1", restart_in_place(), down_for(15.0));
  ASSERT_THAT(ids(findings), ::testing::ElementsAre("pooler.server-login-retry"));
  EXPECT_THAT(findings[0].remedy, HasSubstr("server_login_retry = 1"));
  EXPECT_THAT(findings[0].remedy, HasSubstr("at most 15 s")) << "30 s less its 15 s";
  EXPECT_THAT(findings[0].evidence[0], HasSubstr("kill, repeat 1"));
}

TEST(SettingFindings, SaysNothingOfWhatDidNotCost) {
  EXPECT_TRUE(find_costly_settings("", restart_in_place(), down_for(5.3)).empty()) << "back before";
  DrillPlan mended = restart_in_place();
  mended.budget->read_write.parts[2].max_s = 1;
  EXPECT_TRUE(find_costly_settings("", mended, down_for(15)).empty()) << "1 s is no cost";
  EXPECT_TRUE(find_costly_settings("", DrillPlan{}, down_for(15)).empty()) << "no budget";
  RepeatResult distrusted = down_for(15);
  distrusted.paths[0].instrument.valid = false;
  EXPECT_TRUE(find_costly_settings("", restart_in_place(), distrusted).empty());
}

TEST(SettingFindings, NamesAStartThatWasWaitedForInVain) {
  EXPECT_THAT(ids(find_costly_settings("", restart_in_place(), down_for(90))),
              ::testing::Contains("patroni.primary-start-timeout"));
  EXPECT_THAT(ids(find_costly_settings("", restart_in_place(), down_for(90, 1))),
              ::testing::Not(::testing::Contains("patroni.primary-start-timeout")))
      << "there was a failover";
}

DrillPlan cut_from_consensus() {
  DrillPlan plan{.name = "cut",
                 .fault = {.kind = "cut-network", .options = {{"from", "consensus"}}, .hold_s = 35}};
  plan.budget.emplace();
  plan.budget->read_write = {.min_s = 0, .max_s = 0};
  return plan;
}

RepeatResult refused_for(double outage_s, Layer layer, std::size_t failovers = 0) {
  RepeatResult repeat = down_for(outage_s, failovers);
  repeat.paths[0].errors = {{.error = Trouble::closed, .layer = layer, .count = 40}};
  return repeat;
}

/// Seen: failsafe mode kept the leader up, and two of three balancers refused writes for 23 s.
TEST(SettingFindings, NamesBalancersThatDropALeaderThatLeadsOn) {
  const auto findings =
      find_costly_settings("cut, repeat 1", cut_from_consensus(), refused_for(23, Layer::balancer));
  ASSERT_THAT(ids(findings), ::testing::ElementsAre("balancer.drops-live-leader"));
  EXPECT_THAT(findings[0].evidence[0], HasSubstr("refused 40 operations"));
  const auto none = [](const RepeatResult& repeat) {
    return find_costly_settings("", cut_from_consensus(), repeat).empty();
  };
  EXPECT_TRUE(none(refused_for(3, Layer::balancer))) << "a reload";
  EXPECT_TRUE(none(refused_for(23, Layer::pooler))) << "not the balancer's doing";
  EXPECT_TRUE(none(refused_for(23, Layer::balancer, 1))) << "another led";
}

TEST(SettingFindings, NamesChecksThatHang) {
  DrillPlan plan = restart_in_place();
  plan.budget->read_write.parts = {
      {.name = "hung",
       .min_s = 47,
       .max_s = 50,
       .setting = "timeout check, inter, fastinter, fall of HAProxy's listener master",
       .value = "timeout check 15 s"}};
  EXPECT_THAT(ids(find_costly_settings("", plan, down_for(48, 1))),
              ::testing::ElementsAre("haproxy.check-timeout"));
  EXPECT_TRUE(find_costly_settings("", plan, down_for(28, 1)).empty());
}

}  // namespace
}  // namespace pgfiredrill
