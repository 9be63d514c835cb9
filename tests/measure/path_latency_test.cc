#include "measure/path_latency.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::operation;

RepeatTimes usual_times() {
  return {.traffic_from = at_s(88),
          .baseline_from = at_s(90),
          .injected = at_s(100),
          .to = at_s(110),
          .complete_until = at_s(110)};
}

Operation success(double due, double sent_after, double done_after) {
  Operation op = operation('+', at_s(due), 1);
  op.sent_after = at_s(sent_after);
  op.done_after = at_s(done_after);
  return op;
}

PathLatency fold(const std::vector<Operation>& operations, const RepeatTimes& when = usual_times()) {
  const TrafficPath path = canary();
  PathLatencyFold fold{path, when};
  for (const Operation& op : operations) fold.on(op);
  return fold.finish();
}

TEST(PathLatency, ResponseRunsFromTheDueTimeAndServiceFromSending) {
  const PathLatency latency =
      fold({success(95, 0.010, 0.012), success(96, 0.020, 0.024), success(105, 0.100, 0.300)});
  ASSERT_TRUE(latency.response_before);
  EXPECT_EQ(latency.response_before->count, 2u);
  EXPECT_DOUBLE_EQ(latency.response_before->mean_s, 0.018);
  EXPECT_NEAR(latency.response_before->p50_s, 0.012, 0.000012);
  EXPECT_DOUBLE_EQ(latency.response_before->max_s, 0.024);
  EXPECT_DOUBLE_EQ(latency.service_before->max_s, 0.004);
  EXPECT_EQ(latency.response_after->count, 1u);
  EXPECT_DOUBLE_EQ(latency.response_after->p999_s, 0.3);
  EXPECT_DOUBLE_EQ(latency.service_after->max_s, 0.2);
}

TEST(PathLatency, WarmUpAndWhatWasInFlightWhenTheFaultHitBelongToNeither) {
  const PathLatency latency = fold({success(89, 0, 0.5), success(99.9, 0, 0.2), success(100, 0, 0.001)});
  EXPECT_FALSE(latency.response_before);
  ASSERT_TRUE(latency.response_after);
  EXPECT_EQ(latency.response_after->count, 1u);
}

TEST(PathLatency, OnlySuccessesHaveALatency) {
  const PathLatency latency =
      fold({operation('x', at_s(105), 1), operation('l', at_s(105), 2), operation('-', at_s(105), 3),
            operation('r', at_s(105), 4), operation('s', at_s(105), 5)});
  EXPECT_FALSE(latency.response_after);
  EXPECT_FALSE(latency.service_after);
}

TEST(PathLatency, WithoutAFaultAllOfItIsBefore) {
  RepeatTimes when = usual_times();
  when.injected.reset();
  const PathLatency latency = fold({success(95, 0, 0.01), success(105, 0, 0.01)}, when);
  EXPECT_EQ(latency.response_before->count, 2u);
  EXPECT_FALSE(latency.response_after);
}

}  // namespace
}  // namespace pgfiredrill
