#include "measure/position_lag.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "direct_answers.h"

namespace pgfiredrill {
namespace {

using testing::answer_of;
using testing::at_s;

DirectAnswer at_position(const std::string& member, double asked_s, bool in_recovery, std::uint32_t timeline,
                         std::uint64_t lsn) {
  DirectAnswer answer = answer_of(member, asked_s, 0.001, in_recovery);
  answer.timeline = timeline;
  answer.lsn = lsn;
  return answer;
}

PositionLag measure(const std::vector<DirectAnswer>& answers) {
  return measure_position_lag(answers, {"a", "b"}, at_s(10), at_s(30));
}

// The leader writes 1,000 bytes a second and the replica replays at a fixed distance.
TEST(PositionLag, IsTheDistanceAtMostAndNeverMore) {
  std::mt19937 random{7};
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t distance = std::uniform_int_distribution<std::uint64_t>{0, 100'000}(random);
    std::vector<DirectAnswer> answers;
    for (double at = 9; at < 20; at += 0.1) {
      const auto written = 1'000'000 + static_cast<std::uint64_t>(at * 1'000);
      answers.push_back(at_position("a", at, false, 4, written));
      answers.push_back(
          at_position("b", at + 0.05, true, 4, written + 50 - std::min(distance + 50, written)));
    }
    const auto lag = measure(answers);
    ASSERT_TRUE(lag.max_bytes);
    EXPECT_LE(*lag.max_bytes, static_cast<double>(distance));
    EXPECT_GE(*lag.max_bytes, static_cast<double>(distance) - 51);
    ASSERT_EQ(lag.nodes.size(), 1u) << "the leader is behind nobody";
    EXPECT_EQ(lag.nodes[0].member, "b");
  }
}

TEST(PositionLag, ComparesWithinOneTimelineOnly) {
  const auto lag = measure({at_position("a", 11, false, 5, 9'000), at_position("b", 12, true, 4, 1'000)});
  EXPECT_FALSE(lag.max_bytes);
  EXPECT_FALSE(lag.why_not.empty());
}

// A replica that is cut off tells no timeline: that is when its lag matters.
TEST(PositionLag, AReplicaThatReceivesNothingStaysOnItsTimeline) {
  const auto lag = measure({at_position("b", 9, true, 4, 1'000), at_position("a", 11, false, 4, 9'000),
                            at_position("b", 12, true, 0, 1'000)});
  EXPECT_EQ(lag.max_bytes, 8'000);
}

TEST(PositionLag, CountsFromTheInjectionOn) {
  const auto lag = measure({at_position("a", 5, false, 4, 9'000), at_position("b", 6, true, 4, 1'000),
                            at_position("b", 12, true, 4, 8'500), at_position("b", 31, true, 4, 1'000)});
  EXPECT_EQ(lag.max_bytes, 500);
}

TEST(PositionLag, WhatTheLeaderWroteLaterIsNotCounted) {
  const auto lag = measure({at_position("a", 11, false, 4, 1'000), at_position("b", 12, true, 4, 1'000),
                            at_position("a", 12.1, false, 4, 50'000)});
  EXPECT_EQ(lag.max_bytes, 0);
}

}  // namespace
}  // namespace pgfiredrill
