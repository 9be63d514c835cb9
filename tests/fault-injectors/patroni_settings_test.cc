// Pausing Patroni and changing its settings: both stand in the consensus store, and are armed on two hosts.

#include <gmock/gmock.h>

#include "tests/fault-injectors/fake_helper.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostDrill;
using ::testing::IsEmpty;

/// A cluster with this dynamic configuration.
void configure(HostDrill& drill, const std::string& config) {
  drill.drill.on_rest = [config](const HttpRequest&) { return HttpResponse{.status = 200, .body = config}; };
}

// The leader's host may be the one that a further fault takes away.
TEST(PatroniPause, IsArmedAndUndoneOnTwoHosts) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "patroni-pause"});
  EXPECT_EQ(fault->target(), "pgnode01, pgnode02");
  ASSERT_TRUE(fault->arm());
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("patroni-pause"));
  EXPECT_THAT(drill.on_pg2.broken(), ElementsAre("patroni-pause"));
  ASSERT_TRUE(fault->inject());
  drill.drill.probe.now.paused = true;
  EXPECT_TRUE(fault->verify(2s).took);
  ASSERT_TRUE(fault->revert());
  EXPECT_THAT(drill.on_pg1.pending(), IsEmpty());
  EXPECT_THAT(drill.on_pg2.pending(), IsEmpty());
}

TEST(PatroniPause, IsProvenByTheClusterAndNotByTheHelperAlone) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "patroni-pause"});
  ASSERT_TRUE(fault->arm());
  ASSERT_TRUE(fault->inject());
  EXPECT_THAT(fault->verify(2s).sentence, HasSubstr("Patroni is not paused"));
  drill.drill.probe.now.paused = true;
  EXPECT_TRUE(fault->verify_held().took);
  drill.drill.probe.now.paused = false;
  EXPECT_FALSE(fault->verify_held().took) << "somebody has resumed it";
}

TEST(PatroniPause, IsNotOverWhilePatroniIsPaused) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "patroni-pause"});
  ASSERT_TRUE(fault->arm());
  ASSERT_TRUE(fault->inject());
  ASSERT_TRUE(fault->revert());
  drill.drill.probe.now.paused = true;
  EXPECT_THAT(fault->verify_reverted().sentence, HasSubstr("still paused"));
  drill.drill.probe.now.paused = false;
  EXPECT_TRUE(fault->verify_reverted().took);
  EXPECT_TRUE(drill.on_pg1.records.empty()) << "what is verified is forgotten";
}

TEST(PatroniPause, IsNotAnothersPause) {
  HostDrill drill;
  drill.drill.probe.now.paused = true;
  EXPECT_THAT(drill.refusal({.kind = "patroni-pause"}), HasSubstr("paused already"));
}

TEST(PatroniPause, NeedsTwoHosts) {
  HostDrill drill;
  drill.drill.probe.now.members.pop_back();
  EXPECT_THAT(drill.refusal({.kind = "patroni-pause"}), HasSubstr("undone by two hosts"));
}

TEST(PatroniConfig, SetsOneOfAFewValues) {
  HostDrill drill;
  configure(drill, R"({"loop_wait":10,"ttl":30})");
  const auto fault = drill.aimed({.kind = "patroni-config"});
  ASSERT_TRUE(fault->arm());
  EXPECT_THAT(drill.on_pg1.broken(), ElementsAre("patroni-config loop_wait 5"));
  EXPECT_THAT(drill.on_pg2.broken(), ElementsAre("patroni-config loop_wait 5"));
  ASSERT_TRUE(fault->inject());
  EXPECT_THAT(fault->verify(2s).sentence, HasSubstr("loop_wait is 10"));
  configure(drill, R"({"loop_wait":5,"ttl":30})");
  EXPECT_TRUE(fault->verify(2s).took);
}

TEST(PatroniConfig, IsNoChangeWhereTheValueStandsAlready) {
  HostDrill drill;
  configure(drill, R"({"failsafe_mode":true})");
  EXPECT_THAT(drill.refusal({.kind = "patroni-config", .options = {{"change", "failsafe_mode-on"}}}),
              HasSubstr("true already"));
  EXPECT_EQ(drill.refusal({.kind = "patroni-config", .options = {{"change", "failsafe_mode-off"}}}),
            "it was aimed");
  EXPECT_EQ(drill.refusal({.kind = "patroni-config", .options = {{"change", "maximum_lag_on_failover-0"}}}),
            "it was aimed")
      << "what is not set may be";
}

TEST(PatroniConfig, IsNotAimedWithoutPatronisAnswer) {
  HostDrill drill;
  drill.rest_answers = false;
  EXPECT_THAT(drill.refusal({.kind = "patroni-config"}), HasSubstr("/config"));
}

// Each must leave Patroni's own rule intact, loop_wait + 2 × retry_timeout ≤ ttl, and restart nothing.
TEST(PatroniConfig, OffersOnlyHarmlessChanges) {
  EXPECT_THAT(
      find_fault_kind("patroni-config")->options.at(0).values,
      ElementsAre("loop_wait-5", "failsafe_mode-on", "failsafe_mode-off", "maximum_lag_on_failover-0"));
}

}  // namespace
}  // namespace pgfiredrill::fault
