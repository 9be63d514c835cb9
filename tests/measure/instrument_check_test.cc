#include "measure/instrument_check.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;
using testing::times;

Instrument check(const std::string& letters, const std::vector<LoopStall>& stalls = {}) {
  const TrafficPath path = canary(10);
  const Observation whole{at_s(0), at_s(10), at_s(10)};
  InstrumentCheck fold{path, stalls, whole};
  for (const Operation& op : history(letters, 0.1)) fold.on(op);
  return fold.finish(false);
}

TEST(InstrumentCheck, DropsForWantOfAConnectionAreTheClusters) {
  const Instrument instrument = check(times(50) + times(10, '-') + times(40));
  EXPECT_TRUE(instrument.valid) << instrument.why;
  EXPECT_EQ(instrument.dropped, 10u);
}

TEST(InstrumentCheck, WhatWeDidNotGetToAccusesUs) {
  const Instrument instrument = check(times(50) + "d" + times(49));
  EXPECT_FALSE(instrument.valid);
  EXPECT_NE(instrument.why, "");
}

bool touched(char letter, double from_s, double to_s) {
  const TrafficPath path = canary(10);
  const InstrumentCheck check{path, {{"traffic", at_s(from_s), at_s(to_s)}}, {at_s(0), at_s(10), at_s(10)}};
  return check.touched_by_stall(testing::operation(letter, at_s(5), 1));
}

TEST(InstrumentCheck, StallLongerThanAnIntervalTouchesTheDropsInIt) {
  // Dropped at its deadline, 6.0.
  EXPECT_TRUE(touched('-', 5.85, 6.01));
  EXPECT_FALSE(touched('-', 5.95, 6.01)) << "shorter than an interval";
  EXPECT_FALSE(touched('-', 7.0, 7.5)) << "at another time";
  EXPECT_FALSE(touched('x', 4.9, 6.01)) << "an error was answered";
}

TEST(InstrumentCheck, StallThatEatsHalfADeadlineTouchesLateOperations) {
  // Ends at 6.5.
  EXPECT_TRUE(touched('l', 5.9, 6.51));
  EXPECT_FALSE(touched('l', 6.3, 6.51));
}

TEST(InstrumentCheck, StallsThatMatterAccuseUs) {
  const TrafficPath path = canary(10);
  InstrumentCheck check{path, {}, {at_s(0), at_s(10), at_s(10)}};
  for (const Operation& op : history(times(100), 0.1)) check.on(op);
  EXPECT_TRUE(check.finish(false).valid);
  EXPECT_FALSE(check.finish(true).valid);
}

TEST(InstrumentCheck, TellsTheLongestStall) {
  const Instrument instrument = check(
      times(100),
      {{"traffic", at_s(1), at_s(1.03)}, {"traffic", at_s(2), at_s(2.25)}, {"traffic", at_s(20), at_s(29)}});
  EXPECT_TRUE(instrument.valid);
  EXPECT_DOUBLE_EQ(instrument.loop_stall_max_s, 0.25);
}

TEST(InstrumentCheck, OfferedMustFitTheRate) {
  EXPECT_TRUE(check(times(96)).valid);
  EXPECT_FALSE(check(times(90)).valid);
  EXPECT_FALSE(check(times(2)).valid);
}

TEST(InstrumentCheck, PooledPathsDoNotPayForConnectors) {
  TrafficPath path = canary();
  const std::vector<LoopStall> stalls{{"traffic", {}, {}}, {"connector-0", {}, {}}, {"other", {}, {}}};
  EXPECT_EQ(stalls_of_path(stalls, path).size(), 3u);
  path.session = SessionKind::pooled;
  EXPECT_EQ(stalls_of_path(stalls, path).size(), 2u);
}

TEST(InstrumentCheck, StallsEndWhenTheyAreRecorded) {
  const Event event{
      .kind = event::kLoopStall, .at = at_s(10), .fields = {{"loop", "traffic"}, {"stall_s", 0.5}}};
  const Event silly{.kind = event::kLoopStall, .at = at_s(10), .fields = {{"stall_s", 1e308}}};
  const Event from_nowhere{.kind = event::kLoopStall, .at = nanoseconds::min(), .fields = {{"stall_s", 1.0}}};
  const auto stalls = loop_stalls({event, silly, from_nowhere});
  ASSERT_EQ(stalls.size(), 2u);
  EXPECT_EQ(stalls[0].from, at_s(9.5));
  EXPECT_EQ(stalls[0].to, at_s(10));
}

std::string overload(const std::string& loop, double cpu_s, double at_s_, SessionKind session) {
  TrafficPath path = canary();
  path.session = session;
  const Event used{.kind = event::kLoopCpu,
                   .at = at_s(at_s_),
                   .fields = {{"loop", loop}, {"cpu_s", cpu_s}, {"over_s", 1.0}}};
  return overload_in({{.start = at_s(10), .end = at_s(12)}}, loop_loads({used}), path);
}

TEST(InstrumentCheck, ABusyLoopOfOursSpoilsTheOutagesItMeasured) {
  EXPECT_NE(overload("traffic", 0.81, 12.5, SessionKind::pooled), "");
  EXPECT_EQ(overload("traffic", 0.80, 12.5, SessionKind::pooled), "") << "not above the limit";
  EXPECT_EQ(overload("traffic", 0.95, 13.5, SessionKind::pooled), "") << "after the outage";
  EXPECT_EQ(overload("traffic", 0.95, 10.0, SessionKind::pooled), "") << "before it";
  EXPECT_NE(overload("connector-0", 0.95, 11, SessionKind::fresh), "");
  EXPECT_EQ(overload("connector-0", 0.95, 11, SessionKind::pooled), "") << "it serves no pooled path";
  EXPECT_EQ(overload("applications", 0.95, 11, SessionKind::fresh), "") << "it drives no path";
}

}  // namespace
}  // namespace pgfiredrill
