#include "measure/recovery.h"

#include <string>

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;

/// One sample a second from `from_s` on: h healthy, . not.
std::vector<HealthSample> samples(const std::string& letters, double from_s = 0) {
  std::vector<HealthSample> all;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    all.push_back({at_s(from_s + static_cast<double>(i)), letters[i] == 'h', "no leader"});
  }
  return all;
}

TEST(Recovery, BeginsWithTheStretchThatHolds) {
  EXPECT_EQ(find_recovery(samples("....hhhh"), {}, at_s(1)).healthy_at, at_s(4));
}

TEST(Recovery, MustHoldForTwoSeconds) {
  EXPECT_EQ(find_recovery(samples("....hhh"), {}, at_s(1)).healthy_at, at_s(4));
  const Recovery short_one = find_recovery(samples("....hh"), {}, at_s(1));
  EXPECT_FALSE(short_one.healthy_at);
  EXPECT_NE(short_one.why_not, "");
}

TEST(Recovery, HealthBeforeTheFaultWasConfirmedDoesNotCount) {
  EXPECT_EQ(find_recovery(samples("hhhhh...hhhh"), {}, at_s(2)).healthy_at, at_s(8));
  EXPECT_EQ(find_recovery(samples("hhhhhhhh"), {}, at_s(2.5)).healthy_at, at_s(3));
}

TEST(Recovery, LaterTroubleMovesItToTheLastStretch) {
  EXPECT_EQ(find_recovery(samples(".hhhhh.hhhh"), {}, at_s(0)).healthy_at, at_s(7));
}

TEST(Recovery, UnhealthyAtTheEndIsNotRecovered) {
  const Recovery recovery = find_recovery(samples(".hhhhhh."), {}, at_s(0));
  EXPECT_FALSE(recovery.healthy_at);
  EXPECT_NE(recovery.why_not.find("no leader"), std::string::npos);
  EXPECT_EQ(recovery.unhealthy_until, at_s(7));
}

TEST(Recovery, WaitsForEveryNeededPath) {
  const std::vector<DownSpan> spans{{"a", at_s(1), at_s(3), false}, {"b", at_s(1), at_s(5.4), false}};
  EXPECT_EQ(find_recovery(samples("..hhhhhhhh"), spans, at_s(0)).healthy_at, at_s(5.4));
  EXPECT_FALSE(find_recovery(samples("..hhhhh"), spans, at_s(0)).healthy_at) << "held 0.6 s";
}

TEST(Recovery, PathThatStaysDownIsNotRecovered) {
  const Recovery recovery = find_recovery(samples("..hhhhhhhh"), {{"a", at_s(1), at_s(9), true}}, at_s(0));
  EXPECT_FALSE(recovery.healthy_at);
  EXPECT_NE(recovery.why_not.find("a "), std::string::npos);
}

TEST(Recovery, NotWatchedIsNotRecovered) {
  const Recovery recovery = find_recovery({}, {}, at_s(0));
  EXPECT_FALSE(recovery.healthy_at);
  EXPECT_FALSE(recovery.unhealthy_until);
}

TEST(Recovery, SamplesFarApartDoNotProveTheTimeBetween) {
  auto all = samples(".hh");
  const auto later = samples("hhhh", 18);
  all.insert(all.end(), later.begin(), later.end());
  EXPECT_EQ(find_recovery(all, {}, at_s(0)).healthy_at, at_s(18));
}

TEST(Recovery, TimeGoingBackDoesNotCrash) {
  auto all = samples("hhhh", 10);
  const auto earlier = samples("hhhh", 2);
  all.insert(all.end(), earlier.begin(), earlier.end());
  (void)find_recovery(all, {}, at_s(0));
}

}  // namespace
}  // namespace pgfiredrill
