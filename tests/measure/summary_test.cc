#include "measure/summary.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

std::vector<RepeatResult> repeats(const std::vector<double>& outages) {
  std::vector<RepeatResult> all;
  for (const double outage : outages) {
    PathResult path{.path = testing::canary(), .outage_s = outage};
    all.push_back({.paths = {path}, .full_health_s = outage + 1});
  }
  return all;
}

std::vector<SummaryRow> rows(const std::vector<RepeatResult>& all, std::uint64_t seed = 1) {
  std::vector<const RepeatResult*> pointers;
  for (const RepeatResult& repeat : all) pointers.push_back(&repeat);
  return summarize(pointers, seed);
}

TEST(Summary, HasARowForEachMetricAndPathThatWasMeasured) {
  const auto summary = rows(repeats({4, 1, 2}));
  ASSERT_EQ(summary.size(), 2u);
  EXPECT_EQ(summary[0].metric, "outage_s");
  EXPECT_EQ(summary[0].path, testing::canary().id);
  EXPECT_EQ(summary[0].n, 3u);
  EXPECT_EQ(summary[0].min, 1);
  EXPECT_EQ(summary[0].median, 2);
  EXPECT_EQ(summary[0].max, 4);
  EXPECT_FALSE(summary[0].p95);
  EXPECT_FALSE(summary[0].ci_low);
  EXPECT_EQ(summary[1].metric, "full_health_s");
  EXPECT_EQ(summary[1].path, "");
}

TEST(Summary, MedianOfAnEvenNumberLiesBetween) {
  EXPECT_EQ(rows(repeats({1, 2, 4, 9}))[0].median, 3);
}

TEST(Summary, LeavesOutWhatCannotBeTrustedOrWasNotMeasured) {
  auto all = repeats({1, 2, 3});
  all[2].paths[0].instrument.valid = false;
  all[1].paths[0].outage_s.reset();
  EXPECT_EQ(rows(all)[0].n, 1u);
  EXPECT_TRUE(rows({}).empty());
}

TEST(Summary, TailsAndIntervalsFromTwentyRepeatsOn) {
  std::vector<double> outages;
  for (int i = 1; i <= 19; ++i) outages.push_back(i);
  EXPECT_FALSE(rows(repeats(outages))[0].p95);
  outages.push_back(20);
  const SummaryRow row = rows(repeats(outages))[0];
  EXPECT_EQ(row.p95, 19.0);
  EXPECT_GT(*row.ci_low, 5);
  EXPECT_LT(*row.ci_low, row.median);
  EXPECT_GT(*row.ci_high, row.median);
  EXPECT_LT(*row.ci_high, 16);
}

TEST(Summary, IntervalsFollowFromTheSeed) {
  std::vector<double> outages;
  for (int i = 0; i < 25; ++i) outages.push_back(i * i * 0.37);
  const auto all = repeats(outages);
  EXPECT_EQ(rows(all, 7)[0].ci_low, rows(all, 7)[0].ci_low);
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    differs |= rows(all, seed)[0].ci_low != rows(all, 7)[0].ci_low;
  EXPECT_TRUE(differs);
}

TEST(Summary, EqualValuesHaveAnIntervalOfOnePoint) {
  const SummaryRow row = rows(repeats(std::vector<double>(20, 3.5)))[0];
  EXPECT_EQ(row.ci_low, 3.5);
  EXPECT_EQ(row.ci_high, 3.5);
}

TEST(Summary, ReturnToNormalHasTailsToo) {
  std::vector<RepeatResult> all(20);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].return_to_normal = ReturnToNormal{.throughput_s = static_cast<double>(i + 1)};
  }
  all.emplace_back().return_to_normal = ReturnToNormal{};  // not back: no value
  const auto summary = rows(all);
  ASSERT_EQ(summary.size(), 1u);
  EXPECT_EQ(summary[0].metric, "throughput_back_s");
  EXPECT_EQ(summary[0].n, 20u);
  EXPECT_EQ(summary[0].median, 10.5);
  EXPECT_EQ(summary[0].p95, 19.0);
  EXPECT_TRUE(summary[0].ci_low && summary[0].ci_high);
}

}  // namespace
}  // namespace pgfiredrill
