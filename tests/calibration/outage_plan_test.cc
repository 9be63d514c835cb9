#include "calibration/outage_plan.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "calibration/lane_plan.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OutagePlan, SpreadsLengthsEvenlyOverTheOrdersOfMagnitude) {
  const auto plan = plan_outages(3000, 1);
  ASSERT_THAT(plan, SizeIs(3000));
  int short_ones = 0, long_ones = 0;
  for (const PlannedOutage& outage : plan) {
    EXPECT_GE(outage.length, kShortestOutage);
    EXPECT_LE(outage.length, kLongestOutage);
    short_ones += outage.length < 126ms ? 1 : 0;  // a third of the way from 20 ms to 5 s, in logarithms
    long_ones += outage.length > 794ms ? 1 : 0;
  }
  EXPECT_NEAR(short_ones, 1000, 100);
  EXPECT_NEAR(long_ones, 1000, 100);
}

/// Else windows of two outages become one.
TEST(OutagePlan, LeavesQuietAroundEachOutage) {
  nanoseconds quiet_from{0};
  for (const PlannedOutage& outage : plan_outages(200, 7)) {
    EXPECT_GE(outage.begin - quiet_from, kQuiet);
    EXPECT_LE(outage.begin - quiet_from, kQuiet + kMostJitter);
    quiet_from = outage.end();
  }
}

TEST(OutagePlan, IsTheSameForTheSameSeed) {
  const auto lengths = [](std::uint64_t seed) {
    std::vector<nanoseconds> all;
    for (const PlannedOutage& outage : plan_outages(20, seed)) all.push_back(outage.length);
    return all;
  };
  EXPECT_EQ(lengths(5), lengths(5));
  EXPECT_NE(lengths(5), lengths(6));
}

TEST(LanePlan, GivesEachKindAllOfItsOutages) {
  for (const int outages : {1, 3, 20, 201}) {
    std::map<OutageKind, std::size_t> count;
    const auto lanes = plan_lanes({kOutageKinds.begin(), kOutageKinds.end()}, outages, 3);
    for (const StageLane& lane : lanes) count[lane.kind] += lane.plan.size();
    ASSERT_THAT(count, SizeIs(4));
    for (const auto& [kind, number] : count) EXPECT_EQ(number, static_cast<std::size_t>(outages));
  }
  EXPECT_THAT(plan_lanes({}, 20, 3), IsEmpty());
}

TEST(LanePlan, LanesFailAtTimesOfTheirOwn) {
  const auto lanes = plan_lanes({OutageKind::refuse}, 16, 3);
  ASSERT_THAT(lanes, SizeIs(8));
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    EXPECT_NE(lanes[i].plan[0].begin, lanes[i - 1].plan[0].begin);
    EXPECT_NE(lanes[i].plan[0].length, lanes[i - 1].plan[0].length);
  }
}

/// Logins cost both sides CPU: more of them would measure the machine.
TEST(LanePlan, DrivesNoMoreLoginsThanARun) {
  for (const std::size_t lanes : {1U, 2U, 8U}) {
    double logins = 0;
    const auto paths = paths_over(std::vector<Endpoint>(lanes, Endpoint{"127.0.0.1", 5432}));
    ASSERT_THAT(paths, SizeIs(2 * lanes));
    for (const TrafficPath& path : paths) {
      if (path.session == SessionKind::fresh) logins += path.rate_hz;
    }
    EXPECT_GT(logins, 0);
    EXPECT_LE(logins, 60.001);
  }
}

}  // namespace
}  // namespace pgfiredrill
