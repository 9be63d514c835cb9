#include "drivers/schedule.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;

std::vector<DueOperation> all_due(Schedule& schedule, nanoseconds now) {
  std::vector<DueOperation> due;
  while (const auto next = schedule.take_due(now)) due.push_back(*next);
  return due;
}

TEST(Schedule, IsAGridFromItsFirstOperation) {
  Schedule schedule{100ms, 50, 0};
  EXPECT_TRUE(all_due(schedule, 99ms).empty());
  const auto due = all_due(schedule, 140ms);
  ASSERT_EQ(due.size(), 3u);
  EXPECT_EQ(due[0].at, nanoseconds{100ms});
  EXPECT_EQ(due[2].at, nanoseconds{140ms});
  EXPECT_EQ(due[2].number, 2u);
}

// Coming late moves nothing: else a stall would hide the operations that it swallowed.
TEST(Schedule, MakesUpForEveryOperationOfAStall) {
  Schedule schedule{0ms, 100, 0};
  (void)all_due(schedule, 0ms);
  EXPECT_EQ(all_due(schedule, 1s).size(), 100u);
}

TEST(Schedule, DoesNotDriftAtRatesThatDivideNothing) {
  Schedule schedule{0ms, 3, 0};
  const auto due = all_due(schedule, 1000s);
  ASSERT_EQ(due.size(), 3001u);
  EXPECT_EQ(due.back().at, nanoseconds{1000s});
}

TEST(Schedule, SpreadsItsWritesEvenly) {
  Schedule schedule{0ms, 50, 10};
  int since = 0;
  int writes = 0;
  for (const auto& due : all_due(schedule, 10s)) {
    ++since;
    if (!due.write) continue;
    EXPECT_EQ(since, 5);
    since = 0;
    ++writes;
  }
  EXPECT_EQ(writes, 100);
}

TEST(Schedule, WritesAlwaysWhereAllAreWrites) {
  Schedule schedule{0ms, 25, 25};
  for (const auto& due : all_due(schedule, 2s)) EXPECT_TRUE(due.write) << due.number;
}

TEST(Schedule, HasNothingDueAtRateZero) {
  Schedule schedule{0ms, 0, 0};
  EXPECT_TRUE(all_due(schedule, 1000s).empty());
}

}  // namespace
}  // namespace pgfiredrill
