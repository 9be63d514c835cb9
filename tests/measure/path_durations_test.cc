#include "measure/path_durations.h"

#include <gtest/gtest.h>

#include "history.h"
#include "measure/operation_rules.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;

PathDurations::Totals fold(const std::vector<Operation>& operations, double from_s, double to_s) {
  PathDurations durations{at_s(from_s), at_s(to_s), at_s(0.1)};
  for (const Operation& op : operations) {
    durations.on({op.due, is_success(op, canary()), is_error(op, canary()), is_stall(op, canary())});
  }
  return durations.finish();
}

TEST(PathDurations, ErrorsAndStallsLastUntilTheNextOperationIsDue) {
  const auto totals = fold(history("++xx-lt+x+", 0.1), 0, 1);
  EXPECT_EQ(totals.error, at_s(0.3));
  EXPECT_EQ(totals.stall, at_s(0.3));
  EXPECT_EQ(totals.due, 10u);
  EXPECT_EQ(totals.successes, 4u);
}

TEST(PathDurations, LastOperationLastsAnIntervalAndNotPastTheEnd) {
  EXPECT_EQ(fold(history("++x", 0.1), 0, 5).error, at_s(0.1));
  EXPECT_EQ(fold(history("++x", 0.1), 0, 0.25).error, at_s(0.05));
}

TEST(PathDurations, OnlyWhatIsDueInsideCounts) {
  // -0.5 … 0.4: five before the injection, five after it, of which the last is due at the end.
  const auto totals = fold(history("xxxxx xxxxx", 0.1, -0.5), 0, 0.4);
  EXPECT_EQ(totals.due, 4u);
  EXPECT_EQ(totals.error, at_s(0.4));
}

TEST(PathDurations, LongestGapIsBetweenSuccesses) {
  const auto totals = fold(history("++xxx+x+++", 0.1), 0, 1);
  EXPECT_EQ(totals.longest_gap, at_s(0.4));
  EXPECT_FALSE(totals.gap_is_open);
}

TEST(PathDurations, LastSuccessBeforeTheInjectionBoundsTheFirstGap) {
  EXPECT_EQ(fold(history("+ xxx++++++", 0.1, -0.1), 0, 0.9).longest_gap, at_s(0.4));
}

TEST(PathDurations, PathThatStaysDownHasAGapUpToTheEnd) {
  const auto totals = fold(history("+++xxxx", 0.1), 0, 2);
  EXPECT_EQ(totals.longest_gap, at_s(1.8));
  EXPECT_TRUE(totals.gap_is_open);
  const auto never = fold(history("xxx", 0.1), 0, 2);
  EXPECT_EQ(never.longest_gap, at_s(2));
  EXPECT_TRUE(never.gap_is_open);
}

TEST(PathDurations, HealthyPathHasNoOpenGap) {
  // Traffic may stop a moment after the next operation would have been due.
  const auto totals = fold(history("++++++++++", 0.1), 0, 1.02);
  EXPECT_EQ(totals.longest_gap, at_s(0.1));
  EXPECT_FALSE(totals.gap_is_open);
}

}  // namespace
}  // namespace pgfiredrill
