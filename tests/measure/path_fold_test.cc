#include "measure/path_fold.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;
using testing::times;

/// Traffic from 90 s, injection at 100 s, the end at 110 s; ten operations a second.
RepeatTimes usual_times() {
  return {.traffic_from = at_s(90),
          .baseline_from = at_s(90),
          .injected = at_s(100),
          .confirmed = at_s(101),
          .to = at_s(110),
          .complete_until = at_s(110)};
}

MeasuredPath fold(const std::vector<Operation>& operations, const TrafficPath& path,
                  const RepeatTimes& when = usual_times(), const std::vector<LoopStall>& stalls = {}) {
  PathFold fold{path, when, stalls};
  for (const Operation& op : operations) fold.on(op);
  return fold.finish();
}

MeasuredPath fold(const std::string& letters) {
  return fold(history(letters, 0.1, 90), canary(10));
}

TEST(PathFold, MeasuresASwitchover) {
  // Up until 102.0, errors until 104.0, drops until 105.0, every second one until 106.0.
  const MeasuredPath path =
      fold(times(100) + times(20) + times(20, 'x') + times(10, '-') + "+r+r+r+r+r" + times(40));
  const PathResult& result = path.result;
  ASSERT_EQ(result.windows.size(), 1u);
  EXPECT_DOUBLE_EQ(result.windows[0].start_s, 2.0);
  EXPECT_DOUBLE_EQ(result.windows[0].end_s, 6.0);
  EXPECT_FALSE(result.windows[0].censored);
  EXPECT_DOUBLE_EQ(*result.outage_s, 4.0);
  EXPECT_DOUBLE_EQ(*result.unavailable_s, 4.0);
  EXPECT_DOUBLE_EQ(*result.span_s, 4.0);
  EXPECT_DOUBLE_EQ(*result.error_s, 2.5);
  EXPECT_DOUBLE_EQ(*result.stall_s, 1.0);
  EXPECT_DOUBLE_EQ(*result.longest_gap_s, 3.1);
  EXPECT_DOUBLE_EQ(*result.partial_s, 1.0);
  EXPECT_DOUBLE_EQ(*result.availability_pct, 65.0);
  EXPECT_DOUBLE_EQ(result.resolution_s, 0.1);
  EXPECT_TRUE(result.instrument.valid) << result.instrument.why;
  EXPECT_EQ(result.instrument.offered, 100u);
  EXPECT_EQ(result.instrument.achieved, 90u);
  EXPECT_EQ(result.instrument.dropped, 10u);
  EXPECT_EQ(path.unsteady, "");
}

TEST(PathFold, StallInTheMidstOfAnOutageChangesNothing) {
  // Due from 102.0 to 103.9, dropped a second later; the loop stands still from 103.2 to 104.2.
  const std::string letters = times(120) + times(20, '-') + times(60);
  const MeasuredPath path =
      fold(history(letters, 0.1, 90), canary(10), usual_times(), {{"traffic", at_s(103.2), at_s(104.2)}});
  EXPECT_TRUE(path.result.instrument.valid) << path.result.instrument.why;
  EXPECT_DOUBLE_EQ(*path.result.outage_s, 2.0);
}

TEST(PathFold, StallThatMakesOrProlongsAnOutageAccusesUs) {
  const auto judge = [](const std::string& letters, double from_s, double to_s) {
    return fold(history(letters, 0.1, 90), canary(10), usual_times(), {{"traffic", at_s(from_s), at_s(to_s)}})
        .result.instrument;
  };
  const std::string lone = times(120) + "-" + times(79);
  EXPECT_FALSE(judge(lone, 102.8, 103.05).valid);
  EXPECT_TRUE(judge(lone, 104.8, 105.05).valid);
  // The last drops were in the stall: the outage may have ended before them.
  const std::string prolonged = times(120) + times(20, '-') + times(60);
  EXPECT_TRUE(judge(prolonged, 104.85, 105.5).valid) << "to within an interval";
  EXPECT_FALSE(judge(prolonged, 104.65, 105.5).valid);
}

TEST(PathFold, LongestOutageSumAndSpanDiffer) {
  const MeasuredPath path = fold(times(100) + "xxx" + times(47) + "x" + times(49));
  EXPECT_DOUBLE_EQ(*path.result.outage_s, 0.3);
  EXPECT_DOUBLE_EQ(*path.result.unavailable_s, 0.4);
  EXPECT_DOUBLE_EQ(*path.result.span_s, 5.1);
}

TEST(PathFold, NoOutageIsZero) {
  const MeasuredPath path = fold(times(200));
  EXPECT_EQ(path.result.outage_s, 0.0);
  EXPECT_EQ(path.result.span_s, 0.0);
  EXPECT_EQ(path.result.availability_pct, 100.0);
}

TEST(PathFold, ErrorsByClassAndLayerCountFromTheInjection) {
  const MeasuredPath path = fold(times(100) + "xxrx-" + times(95));
  const auto& errors = path.result.errors;
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_TRUE(errors[0].error.is_sqlstate("08P01"));
  EXPECT_EQ(errors[0].layer, Layer::pooler);
  EXPECT_EQ(errors[0].count, 3u);
  EXPECT_DOUBLE_EQ(errors[0].first_s, 0);
  EXPECT_DOUBLE_EQ(errors[0].last_s, 0.3);
  EXPECT_TRUE(errors[1].error.is(Trouble::misrouted));
  EXPECT_EQ(errors[1].layer, Layer::routing);
  EXPECT_TRUE(errors[2].error.is(Trouble::no_connection));
}

TEST(PathFold, GoodEndThatCameLateIsNoError) {
  const MeasuredPath path = fold(times(100) + "l" + times(99));
  EXPECT_TRUE(path.result.errors.empty());
  EXPECT_DOUBLE_EQ(*path.result.outage_s, 0.1);
  EXPECT_DOUBLE_EQ(*path.result.stall_s, 0.1);
}

TEST(PathFold, FailureInTheBaselineIsNotTheFaults) {
  const MeasuredPath path = fold(times(50) + "x" + times(149));
  EXPECT_NE(path.unsteady, "");
  EXPECT_EQ(path.result.outage_s, 0.0);
}

TEST(PathFold, OperationInFlightWhenTheFaultHitIsNotHeldAgainstTheBaseline) {
  auto operations = history(times(200), 0.1, 90);
  Operation& in_flight = operations[99];
  in_flight = testing::operation('x', at_s(99.9), 100);
  in_flight.done_after = at_s(0.2);
  EXPECT_EQ(fold(operations, canary(10)).unsteady, "");
  in_flight.done_after = at_s(0.05);
  EXPECT_NE(fold(operations, canary(10)).unsteady, "");
}

TEST(PathFold, WarmUpIsNoBaselineUnlessItLasts) {
  RepeatTimes when = usual_times();
  when.baseline_from = at_s(95);
  EXPECT_EQ(fold(history("xxx" + times(197), 0.1, 90), canary(10), when).unsteady, "");
  // The baseline has no failure of its own, and is too short to prove that the path is up.
  when.baseline_from = at_s(99.5);
  const std::string letters = times(90) + "xxxx" + times(106);
  EXPECT_NE(fold(history(letters, 0.1, 90), canary(10), when).unsteady, "");
}

TEST(PathFold, OutageThatDoesNotEndIsCensored) {
  const MeasuredPath path = fold(times(100) + times(20) + times(80, 'x'));
  ASSERT_EQ(path.result.windows.size(), 1u);
  EXPECT_TRUE(path.result.windows[0].censored);
  EXPECT_DOUBLE_EQ(path.result.windows[0].end_s, 10);
  EXPECT_DOUBLE_EQ(*path.result.outage_s, 8);
  EXPECT_TRUE(path.gap_is_open);
}

TEST(PathFold, WriteWithoutAnOutcomeIsANonSuccess) {
  const MeasuredPath path = fold(times(100) + "+s+" + times(97));
  EXPECT_DOUBLE_EQ(*path.result.outage_s, 0.1);
  EXPECT_EQ(path.result.instrument.offered, 100u);
}

TEST(PathFold, LastWriteWithoutAnOutcomeIsANonSuccessToo) {
  const MeasuredPath path = fold(times(100) + times(80) + "s");
  ASSERT_EQ(path.result.windows.size(), 1u);
  EXPECT_DOUBLE_EQ(path.result.windows[0].start_s, 8);
}

TEST(PathFold, SentAndDoneAreOneOperation) {
  std::vector<Operation> operations;
  for (const Operation& done : history(times(200), 0.1, 90)) {
    operations.push_back(testing::operation('s', done.due, done.number));
    operations.push_back(done);
  }
  const MeasuredPath path = fold(operations, canary(10));
  EXPECT_EQ(path.result.outage_s, 0.0);
  EXPECT_EQ(path.result.instrument.offered, 100u);
}

TEST(PathFold, WhatWasInFlightWhenTheProgramWasKilledIsNotJudged) {
  RepeatTimes when = usual_times();
  when.complete_until = at_s(109);
  const std::string letters = times(100) + times(94) + "ssssss";  // due from 109.4 on
  const MeasuredPath path = fold(history(letters, 0.1, 90), canary(10), when);
  EXPECT_EQ(path.result.outage_s, 0.0);
  EXPECT_TRUE(path.result.instrument.valid) << path.result.instrument.why;
}

TEST(PathFold, WithoutAnInjectionThereAreNoNumbers) {
  RepeatTimes when = usual_times();
  when.injected.reset();
  const MeasuredPath path = fold(history(times(200), 0.1, 90), canary(10), when);
  EXPECT_FALSE(path.result.outage_s);
  EXPECT_NE(path.unmeasured, "");
  EXPECT_EQ(path.result.instrument.offered, 200u);
}

TEST(PathFold, WithoutOperationsThereAreNoNumbers) {
  const MeasuredPath path = fold(history(times(100), 0.1, 90), canary(10));
  EXPECT_FALSE(path.result.availability_pct);
  EXPECT_NE(path.unmeasured, "");
  EXPECT_FALSE(path.result.instrument.valid);
}

TEST(PathFold, TimeGoingBackAccusesTheInstrument) {
  auto operations = history(times(200), 0.1, 90);
  std::swap(operations[150], operations[160]);
  const MeasuredPath path = fold(operations, canary(10));
  EXPECT_FALSE(path.result.instrument.valid);
}

}  // namespace
}  // namespace pgfiredrill
