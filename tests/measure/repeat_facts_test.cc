#include "measure/repeat_facts.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;

Event event(const char* kind, double at, std::map<std::string, EventValue> fields = {}) {
  return {.kind = kind, .at = at_s(at), .fields = std::move(fields)};
}

Event begin(double at, std::int64_t drill, std::int64_t repeat) {
  return event(event::kRepeatStarted, at, {{"drill", drill}, {"repeat", repeat}});
}

Event end(double at, const char* outcome = "done") {
  return event(event::kRepeatEnded, at, {{"outcome", outcome}});
}

Event leader(double at, const char* member) {
  return event(event::kTopology, at, {{"leader", member}});
}

TEST(RepeatFacts, CutsTheRunIntoRepeats) {
  const auto repeats =
      repeats_of({begin(1, 0, 0), event(event::kFaultSent, 2), end(3), event(event::kFaultSent, 4),
                  begin(5, 0, 1), event(event::kStage, 6, {{"stage", "observe"}})});
  ASSERT_EQ(repeats.size(), 2u);
  EXPECT_EQ(repeats[0].fault_sent->at, at_s(2)) << "what comes after its end is not of the repeat";
  EXPECT_EQ(repeats[0].to, at_s(5));
  EXPECT_EQ(repeats[0].outcome, "done");
  EXPECT_EQ(repeats[1].repeat, 1u);
  EXPECT_EQ(repeats[1].stage, "observe");
  EXPECT_FALSE(repeats[1].fault_sent);
  EXPECT_FALSE(repeats[1].outcome);
}

TEST(RepeatFacts, LeaderIsKnownFromBeforeTheRepeat) {
  const auto repeats =
      repeats_of({leader(0, "a"), begin(1, 0, 0), event(event::kFaultSent, 2), leader(3, "b"), end(4),
                  begin(5, 0, 1), event(event::kFaultSent, 6), end(7), leader(8, "c"), begin(9, 0, 2)});
  ASSERT_EQ(repeats.size(), 3u);
  EXPECT_EQ(repeats[0].leader_before, "a");
  EXPECT_EQ(repeats[0].leader_after, "b");
  EXPECT_EQ(repeats[1].leader_before, "b");
  EXPECT_EQ(repeats[1].leader_after, "b");
  EXPECT_EQ(repeats[2].leader_before, "c") << "also what happened between repeats";
}

TEST(RepeatFacts, BaselineBeginsWhenEveryThreadDrivesAndTheWarmUpIsOver) {
  const auto repeats =
      repeats_of({begin(1, 0, 0), event(event::kTrafficStarted, 2), event(event::kTrafficStarted, 3),
                  event(event::kStage, 4, {{"stage", "baseline"}}), event(event::kTrafficStopped, 9),
                  event(event::kTrafficStopped, 8)});
  EXPECT_EQ(repeats[0].traffic_started, at_s(2));
  EXPECT_EQ(repeats[0].baseline_started, at_s(4));
  EXPECT_EQ(repeats[0].traffic_stopped, at_s(8)) << "from there on not every path is driven";
}

TEST(RepeatFacts, EventsOfAnotherRepeatAreNotItsOwn) {
  const auto repeats = repeats_of(
      {begin(1, 0, 1),
       event(event::kReadback, 2, {{"drill", std::int64_t{0}}, {"repeat", std::int64_t{0}}, {"member", "a"}}),
       event(event::kReadback, 3,
             {{"drill", std::int64_t{0}}, {"repeat", std::int64_t{1}}, {"member", "b"}})});
  EXPECT_EQ(repeats[0].readbacks.size(), 1u);
  EXPECT_EQ(repeats[0].readbacks.count("b"), 1u);
}

TEST(RepeatFacts, HostileEventsAreLeftOut) {
  Event nowhere = event(event::kFaultSent, 0);
  nowhere.at = nanoseconds::min();
  const auto repeats =
      repeats_of({event(event::kRepeatStarted, 1), begin(2, -1, 0), begin(3, 0, 0), nowhere,
                  event("unknown", 4), event(event::kTimelineHistory, 5, {{"timeline", "x"}}),
                  event(event::kTimelineHistory, 5, {{"timeline", std::int64_t{-3}}, {"lsn", "0/1"}}),
                  event(event::kTimelineHistory, 5, {{"timeline", std::int64_t{3}}, {"lsn", "0/1"}})});
  ASSERT_EQ(repeats.size(), 1u);
  EXPECT_FALSE(repeats[0].fault_sent);
  ASSERT_EQ(repeats[0].history.size(), 1u);
  EXPECT_EQ(repeats[0].history[0].timeline, 3u);
}

}  // namespace
}  // namespace pgfiredrill
