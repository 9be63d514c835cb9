#include "measure/operation_rules.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;

Operation op(char letter) {
  return testing::operation(letter, at_s(10), 1);
}

TEST(OperationRules, OnlyAcknowledgedInTimeByTheRightServerSucceeds) {
  const TrafficPath path = canary();
  EXPECT_TRUE(is_success(op('+'), path));
  for (const char letter : {'l', 'x', 'r', 'w', 'o', 't', '-', 'd'}) {
    EXPECT_FALSE(is_success(op(letter), path)) << letter;
  }
}

TEST(OperationRules, WeakAcknowledgementsSucceed) {
  Operation weak = op('+');
  weak.outcome = Outcome::weak;
  EXPECT_TRUE(is_success(weak, canary()));
}

TEST(OperationRules, TheDeadlineHoldsWithoutTheFlagToo) {
  Operation late = op('+');
  late.done_after = at_s(1.000001);
  EXPECT_FALSE(is_success(late, canary()));
  late.done_after = at_s(1);
  EXPECT_TRUE(is_success(late, canary()));
}

TEST(OperationRules, TheFlagHoldsWhereTheDurationDoesNotSay) {
  Operation late = op('+');
  late.late = true;
  EXPECT_FALSE(is_success(late, canary()));
  EXPECT_TRUE(is_stall(late, canary()));
}

TEST(OperationRules, ReadOnlyPathsAcceptAnyServer) {
  TrafficPath path = canary();
  Operation answer = op('+');
  answer.in_recovery = true;
  EXPECT_FALSE(is_success(answer, path));
  EXPECT_TRUE(is_error(answer, path));
  EXPECT_EQ(error_of(answer, path), ErrorClass{Trouble::misrouted});
  path.access = Access::read_only;
  EXPECT_TRUE(is_success(answer, path));
  EXPECT_TRUE(error_of(answer, path).none());
}

TEST(OperationRules, ErrorsAndStallsAreApart) {
  for (const char letter : {'x', 'r', 'w', 'o'}) {
    EXPECT_TRUE(is_error(op(letter), canary())) << letter;
    EXPECT_FALSE(is_stall(op(letter), canary())) << letter;
  }
  for (const char letter : {'l', 't', '-', 'd'}) {
    EXPECT_FALSE(is_error(op(letter), canary())) << letter;
    EXPECT_TRUE(is_stall(op(letter), canary())) << letter;
  }
}

TEST(OperationRules, StandbyAnswersAreCountedWith25006) {
  EXPECT_TRUE(led_to_standby(op('r'), canary()));
  EXPECT_TRUE(led_to_standby(op('w'), canary()));
  EXPECT_FALSE(led_to_standby(op('x'), canary()));
}

TEST(OperationRules, SillyRatesAndDeadlinesAreBounded) {
  TrafficPath path = canary();
  for (const double rate : {0.0, -1.0, 1e-300, 1e300}) {
    path.rate_hz = rate;
    EXPECT_GT(interval_of(path).count(), 0) << rate;
  }
  path.deadline = nanoseconds::max();
  EXPECT_LT(deadline_of(path), at_s(100'000));
}

}  // namespace
}  // namespace pgfiredrill
