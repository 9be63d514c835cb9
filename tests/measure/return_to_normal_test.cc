#include "measure/return_to_normal.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;
using testing::times;

constexpr double kFault = 100;

/// Traffic from 90 s, injection at 100 s, observed for 20 s.
RepeatTimes usual_times() {
  return {.traffic_from = at_s(90),
          .baseline_from = at_s(90),
          .injected = at_s(kFault),
          .confirmed = at_s(kFault + 1),
          .to = at_s(120),
          .complete_until = at_s(120)};
}

/// Ten seconds of baseline, then a letter for each second: + all succeed, h half of them do, x none, s all
/// slowly, 8 to 9 of ten as the letter says.
std::vector<Operation> traffic(const std::string& seconds, double slow_s = 0.05) {
  std::string letters = times(400);
  for (const char second : seconds) {
    const std::size_t good = second == 'h'   ? 20
                             : second == 'x' ? 0
                             : second == '8' ? 35
                             : second == '9' ? 36
                                             : 40;
    letters += times(good) + times(40 - good, 'x');
  }
  auto operations = history(letters, 0.025, 90);
  for (Operation& operation : operations) {
    const auto second = (operation.due - at_s(kFault)) / std::chrono::seconds{1};
    if (operation.due < at_s(kFault)) continue;
    if (seconds[static_cast<std::size_t>(second)] == 's') operation.done_after = at_s(slow_s);
  }
  return operations;
}

JudgedReturn judge(const std::vector<Operation>& operations, const TrafficPath& path = canary(40),
                   const RepeatTimes& when = usual_times()) {
  ReturnToNormalFold fold{when};
  for (const Operation& operation : operations) fold.on(operation, path);
  return fold.finish();
}

std::optional<double> throughput(const std::string& seconds) {
  return judge(traffic(seconds)).result.value().throughput_s;
}

std::optional<double> p95(const std::string& seconds, double slow_s = 0.05) {
  return judge(traffic(seconds, slow_s)).result.value().p95_s;
}

TEST(ReturnToNormal, IsZeroWhereNothingFell) {
  const JudgedReturn judged = judge(traffic(times(20)));
  ASSERT_TRUE(judged.result);
  EXPECT_EQ(judged.result->throughput_s, 0.0);
  EXPECT_EQ(judged.result->p95_s, 0.0);
  EXPECT_DOUBLE_EQ(judged.result->baseline_per_s, 40);
  EXPECT_DOUBLE_EQ(judged.result->baseline_p95_s.value(), 0.002);
}

TEST(ReturnToNormal, ThroughputIsBackWhereThreeGoodSecondsFollow) {
  EXPECT_EQ(throughput("++xxxx" + times(14)), 6.0);
  EXPECT_EQ(throughput("++xxxx++h+hh" + times(8)), 12.0) << "two good seconds are no return";
}

TEST(ReturnToNormal, ShortFallCounts) {
  EXPECT_EQ(throughput("++++x" + times(15)), 5.0);
}

TEST(ReturnToNormal, NineTenthsAreEnoughAndLessIsNot) {
  EXPECT_EQ(throughput(times(20, '9')), 0.0);
  EXPECT_EQ(throughput("8" + times(19, '9')), 1.0);
}

TEST(ReturnToNormal, OnlyThreeBadSecondsInARowBeginAnew) {
  EXPECT_EQ(throughput("xx+++xx+++++++++++++"), 2.0);
  EXPECT_EQ(throughput("xx+++xxx++++++++++++"), 8.0);
}

TEST(ReturnToNormal, IsAbsentWithItsReasonWhereItDidNotComeBack) {
  for (const std::string& seconds : {times(20, 'x'), times(10) + times(8, 'x') + "++", times(17) + "xxx"}) {
    const JudgedReturn judged = judge(traffic(seconds));
    ASSERT_TRUE(judged.result);
    EXPECT_FALSE(judged.result->throughput_s) << seconds;
    EXPECT_FALSE(judged.result->p95_s) << seconds;
    EXPECT_EQ(judged.why_no_throughput,
              "throughput was not back for good in the 20 s of observation after the fault");
  }
}

TEST(ReturnToNormal, SlowResponsesOutlastTheOutage) {
  EXPECT_EQ(throughput("xxxssss" + times(13)), 3.0);
  EXPECT_EQ(p95("xxxssss" + times(13)), 7.0);
  EXPECT_EQ(p95("xxx+++ssss" + times(10)), 10.0) << "three slow seconds in a row begin anew";
  EXPECT_EQ(p95("xxx++++s+++++ss" + times(5)), 3.0) << "lone slow seconds do not";
}

TEST(ReturnToNormal, ToleratesATenthAndOurOwnTick) {
  // The baseline's 95th percentile is 2 ms: up to 3.2 ms are as before.
  EXPECT_EQ(p95(times(20, 's'), 0.0032), 0.0);
  EXPECT_FALSE(p95(times(20, 's'), 0.0033));
}

TEST(ReturnToNormal, WhatFailedIsSlowerThanEverything) {
  // 36 of 40 succeed: enough throughput, but the 95th percentile is among those that failed.
  const JudgedReturn judged = judge(traffic(times(20, '9')));
  EXPECT_EQ(judged.result->throughput_s, 0.0);
  EXPECT_FALSE(judged.result->p95_s);
  EXPECT_EQ(judged.why_no_p95,
            "responses were not as quick as before for good in the 20 s of observation after the fault");
}

TEST(ReturnToNormal, SecondsWithoutAnyOperationAreBad) {
  auto operations = traffic(times(20));
  std::erase_if(operations, [](const Operation& op) { return op.due >= at_s(103) && op.due < at_s(107); });
  EXPECT_EQ(judge(operations).result->throughput_s, 7.0);
  std::erase_if(operations, [](const Operation& op) { return op.due >= at_s(103); });
  EXPECT_FALSE(judge(operations).result->throughput_s);
}

TEST(ReturnToNormal, CountsWritersOnlyThatMustWork) {
  TrafficPath path = canary(40);
  path.access = Access::read_only;
  EXPECT_NE(judge(traffic(times(20)), path).why_not, "");
  path.purpose = Purpose::ledger;
  EXPECT_EQ(judge(traffic(times(20)), path).why_not, "");
  path = canary(40);
  path.needed_for_steady_state = false;
  EXPECT_NE(judge(traffic(times(20)), path).why_not, "");
  path = canary(40);
  path.purpose = Purpose::heartbeat;
  EXPECT_NE(judge(traffic(times(20)), path).why_not, "");
}

TEST(ReturnToNormal, PathsAreTakenTogether) {
  // Twenty a second that fail for 5 s beside a hundred and eighty that do not are a tenth.
  ReturnToNormalFold fold{usual_times()};
  const TrafficPath few = canary(20), many = canary(180);
  auto operations = history(times(200) + times(100, 'x') + times(300), 0.05, 90, 0);
  const auto rest = history(times(5400), 1.0 / 180, 90, 1);
  operations.insert(operations.end(), rest.begin(), rest.end());
  std::stable_sort(operations.begin(), operations.end(),
                   [](const Operation& a, const Operation& b) { return a.due < b.due; });
  for (const Operation& operation : operations) fold.on(operation, operation.path == 0 ? few : many);
  const JudgedReturn judged = fold.finish();
  EXPECT_EQ(judged.result->throughput_s, 0.0);
  EXPECT_EQ(judged.result->p95_s, 5.0);
}

TEST(ReturnToNormal, IsNotMeasuredWithoutSomethingToCompare) {
  RepeatTimes when = usual_times();
  when.injected.reset();
  EXPECT_EQ(judge(traffic(times(20)), canary(40), when).why_not, "no fault was injected");
  when = usual_times();
  when.baseline_from = at_s(97.5);
  EXPECT_EQ(judge(traffic(times(20)), canary(40), when).why_not, "the baseline was shorter than 3 s");
  when = usual_times();
  when.complete_until = at_s(102.9);
  EXPECT_EQ(judge(traffic(times(20)), canary(40), when).why_not, "observation ended within 3 s of the fault");
  EXPECT_EQ(judge(history(times(300), 0.1, 90)).why_not,
            "10.0 operations a second succeeded before the fault, too few to tell a tenth of them");
}

TEST(ReturnToNormal, NeedsABaselineThatSucceeded) {
  auto operations = traffic(times(20));
  for (std::size_t i = 0; i < 400; i += 10) operations[i] = testing::operation('x', operations[i].due, i + 1);
  const JudgedReturn judged = judge(operations);
  EXPECT_EQ(judged.result->throughput_s, 0.0);
  EXPECT_FALSE(judged.result->p95_s);
  EXPECT_FALSE(judged.result->baseline_p95_s);
  EXPECT_EQ(judged.why_no_p95, "more than 5 % of the operations before the fault did not succeed");
}

TEST(ReturnToNormal, LeavesOutASecondThatWasNotObservedWhole) {
  RepeatTimes when = usual_times();
  when.to = when.complete_until = at_s(109.5);
  EXPECT_EQ(judge(traffic("xxxxxx+++x" + times(10)), canary(40), when).result->throughput_s, 6.0);
}

}  // namespace
}  // namespace pgfiredrill
