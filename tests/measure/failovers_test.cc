#include "measure/failovers.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;

DirectAnswer answer(const std::string& member, double at, bool in_recovery, std::uint32_t timeline,
                    std::uint64_t lsn = 1000) {
  DirectAnswer direct;
  direct.member = member;
  direct.asked_at = direct.at = at_s(at);
  direct.in_recovery = in_recovery;
  direct.timeline = timeline;
  direct.lsn = lsn;
  return direct;
}

TEST(Failovers, AreTimelinesThatBeganAfterTheFault) {
  const std::vector<DirectAnswer> answers{answer("a", 1, false, 4), answer("b", 1, true, 4),
                                          answer("b", 20, false, 5), answer("c", 40, false, 6)};
  EXPECT_EQ(count_failovers(answers, {}, at_s(10)).failovers, 2u);
}

/// The old leader's server starts again on its own timeline.
TEST(Failovers, ARestartInPlaceIsNone) {
  const std::vector<DirectAnswer> answers{answer("a", 1, false, 4), answer("a", 20, false, 4)};
  EXPECT_EQ(count_failovers(answers, {{3, 500}}, at_s(10)).failovers, 0u);
}

TEST(Failovers, AreInTheHistoryWhereNobodyCouldBeAsked) {
  const std::vector<DirectAnswer> answers{answer("a", 1, false, 4)};
  EXPECT_EQ(count_failovers(answers, {{3, 500}, {4, 900}}, at_s(10)).failovers, 1u);
}

TEST(Failovers, AreNotCountedWithoutALeaderBefore) {
  const FailoverCount count = count_failovers({answer("a", 20, false, 4)}, {}, at_s(10));
  EXPECT_FALSE(count.failovers);
  EXPECT_FALSE(count.why_not.empty());
}

/// What a replica could not know of when the leader last published its position.
TEST(Failovers, WrittenAtTheEndCountsTheOldLeadersLastTtl) {
  const std::vector<DirectAnswer> answers{answer("a", 1, false, 4, 1000), answer("a", 5, false, 4, 3000),
                                          answer("a", 12, false, 4, 9000), answer("b", 30, false, 5, 99000)};
  EXPECT_EQ(written_at_the_end(answers, at_s(10), std::chrono::seconds{8}), 6000);
  EXPECT_EQ(written_at_the_end(answers, at_s(10), std::chrono::seconds{60}), 8000);
  EXPECT_FALSE(written_at_the_end({}, at_s(10), std::chrono::seconds{8}));
}

}  // namespace
}  // namespace pgfiredrill
