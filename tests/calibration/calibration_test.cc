/// A whole calibration, in seconds: real traffic, a real record, the real folds.

#include "calibration/calibration.h"

#include <gmock/gmock.h>

#include "calibration/lane_plan.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Three outages that are long enough to be seen and short enough for a test.
std::uint64_t short_seed() {
  for (std::uint64_t seed = 1;; ++seed) {
    const auto lanes = plan_lanes({OutageKind::refuse}, 3, seed);
    bool fits = true;
    for (const StageLane& lane : lanes) {
      fits = fits && lane.plan.front().length > 300ms && lane.plan.front().length < 1500ms;
    }
    if (fits) return seed;
  }
}

TEST(Calibration, FindsOutagesThatAreKnown) {
  SystemProcessRunner runner;
  SystemClock clock;
  std::size_t over = 0;
  const auto result = calibrate({.outages = 3, .seed = short_seed(), .only = OutageKind::refuse}, runner,
                                clock, [&](std::size_t now, std::size_t all) {
                                  EXPECT_EQ(all, 3u);
                                  over = now;
                                  return true;
                                });
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(over, 3u);
  EXPECT_THAT(result->not_run, IsEmpty());
  ASSERT_THAT(result->verdicts, SizeIs(2));
  for (const KindVerdict& verdict : result->verdicts) {
    EXPECT_EQ(verdict.outages, 3u);
    EXPECT_EQ(verdict.missed, 0u) << to_string(verdict.session);
    EXPECT_EQ(verdict.invented, 0u) << to_string(verdict.session);
    EXPECT_GT(verdict.error_max, 0ns) << "no measurement is exact";
    // The bounds themselves are for a quiet machine; a test shares its own with others.
    EXPECT_LT(verdict.error_max, verdict.bound + 500ms) << to_string(verdict.session);
  }
}

TEST(Calibration, EndsWhenItIsTold) {
  SystemProcessRunner runner;
  SystemClock clock;
  const auto result = calibrate({.outages = 100, .seed = 1, .only = OutageKind::reset}, runner, clock,
                                [](std::size_t, std::size_t) { return false; });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), ::testing::HasSubstr("interrupted"));
}

}  // namespace
}  // namespace pgfiredrill
