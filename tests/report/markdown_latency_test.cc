#include "report/markdown_latency.h"

#include <gmock/gmock.h>

#include "tests/report/sample_run.h"

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using testing::mixed_run;
using testing::passed_run;
using testing::sample_repeat;

TEST(MarkdownLatency, ShowsMedianTailAndLongestBeforeAndAfter) {
  const std::string text = latency_markdown(sample_repeat(0, 6.8));
  EXPECT_THAT(text,
              HasSubstr("| `pg1:5000/read_write/fresh` | 12.5 / 50.0 / 75.0 | 150 / 600 / 900 | 1.00 / 4.00 "
                        "/ 6.00 | 2.00 / 8.00 / 12.0 |\n"));
  EXPECT_THAT(text, HasSubstr("| `ledger` |"));
}

TEST(MarkdownLatency, WhatDidNotSucceedHasADash) {
  EXPECT_THAT(latency_markdown(sample_repeat(0, 41.25)), HasSubstr("| 12.5 / 50.0 / 75.0 | – |"));
  EXPECT_EQ(latency_markdown(RepeatResult{}), "");
}

TEST(MarkdownLatency, SaysWhenTrafficWasAsBefore) {
  RepeatResult repeat = sample_repeat(0, 6.8);
  EXPECT_THAT(
      return_to_normal_markdown(repeat),
      HasSubstr("against 140 a second before the fault: throughput back after 7.8 s, responses as quick as "
                "before from 9.8 s on.\n"));
  repeat.return_to_normal->p95_s.reset();
  EXPECT_THAT(return_to_normal_markdown(repeat),
              HasSubstr("responses not seen to become as quick as before.\n"));
  repeat.return_to_normal->throughput_s.reset();
  EXPECT_THAT(return_to_normal_markdown(repeat), HasSubstr("throughput not seen to come back.\n"));
  repeat.return_to_normal->throughput_s = repeat.return_to_normal->p95_s = 0;
  EXPECT_THAT(return_to_normal_markdown(repeat), HasSubstr("throughput never fell"));
  EXPECT_EQ(return_to_normal_markdown(RepeatResult{}), "");
}

TEST(MarkdownLatency, ShowsWhatApplicationsSaw) {
  const std::string text = applications_markdown(sample_repeat(0, 6.8));
  EXPECT_THAT(text, HasSubstr("| `pg1:5000/read_write/fresh` | no-retry | 800 | 17.00 % | 0 % | 1 s |\n"));
  EXPECT_THAT(text, HasSubstr("| driver-default | 800 | 12.50 % | 4.50 % | at least 39.5 s |\n"));
  EXPECT_EQ(applications_markdown(RepeatResult{}), "");
}

TEST(MarkdownLatency, ShowsReconnectCapacityWithItsBounds) {
  const std::string text = reconnect_markdown(mixed_run());
  EXPECT_THAT(text,
              HasSubstr("| balancer | `pg1:5000` | at least 125 | 16 | 2 | 500 sessions in at most 4 s |\n"));
  EXPECT_THAT(text, HasSubstr("| postgres | `pg1:5432` | 90 | 4 | 0 | – |\n"));
  EXPECT_EQ(reconnect_markdown(passed_run()), "");
}

}  // namespace
}  // namespace pgfiredrill
