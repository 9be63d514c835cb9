#include "drivers/session_plan.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

TrafficPath pooled(double rate_hz, Depth depth = Depth::balancer) {
  return {.depth = depth, .session = SessionKind::pooled, .rate_hz = rate_hz};
}

TEST(SessionPlan, GivesEachLaneWhatItsRateNeeds) {
  TrafficPath fresh = pooled(20), ledger = pooled(100);
  fresh.session = SessionKind::fresh;
  ledger.purpose = Purpose::ledger;
  EXPECT_THAT(plan_sessions({pooled(50), pooled(1000), fresh, ledger}, "transaction", 4),
              ElementsAre(2, 40, 0, 4));
}

/// In session pooling each of ours takes a server from the applications.
TEST(SessionPlan, FastLanesShareWhatAPoolerMayHold) {
  const std::vector<TrafficPath> paths{pooled(1000), pooled(1000), pooled(1000), pooled(50)};
  const auto sessions = plan_sessions(paths, "session", 4);
  EXPECT_THAT(sessions, ElementsAre(14, 14, 14, 2));
  EXPECT_THAT(sessions_of_traffic(paths, "session", 4), Le(45));
  EXPECT_EQ(plan_sessions(paths, "", 4), sessions) << "unknown: as the dearer one";
  EXPECT_THAT(plan_sessions(paths, "transaction", 4), ElementsAre(40, 40, 40, 2));
}

TEST(SessionPlan, LeavesTwoForALaneHoweverManyThereAre) {
  EXPECT_THAT(plan_sessions(std::vector<TrafficPath>(40, pooled(200)), "session", 4), Each(2));
}

/// What never meets at one pooler is not counted together; servers' own ports meet none.
TEST(SessionPlan, CountsWhatCanMeetAtOnePooler) {
  TrafficPath one = pooled(1000, Depth::pooler), two = one;
  one.pinned_member = "a";
  two.pinned_member = "b";
  const TrafficPath direct = pooled(1000, Depth::server);
  EXPECT_THAT(plan_sessions({one, two, direct}, "session", 4), Each(Ge(40)));
}

}  // namespace
}  // namespace pgfiredrill
