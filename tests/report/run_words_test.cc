#include "report/run_words.h"

#include <gmock/gmock.h>

#include "tests/report/sample_run.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunWords, GiveSecondsAsManyDigitsAsAPersonReads) {
  EXPECT_EQ(seconds_text(0), "0 s");
  EXPECT_EQ(seconds_text(0.0), "0 s");
  EXPECT_EQ(seconds_text(0.05), "0.05 s");
  EXPECT_EQ(seconds_text(0.0042), "0.0042 s");
  EXPECT_EQ(seconds_text(6.84), "6.8 s");
  EXPECT_EQ(seconds_text(30), "30 s");
  EXPECT_EQ(seconds_text(99.96), "100 s");
  EXPECT_EQ(seconds_text(184.4), "184 s");
}

TEST(RunWords, GroupThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(4812), "4,812");
  EXPECT_EQ(count_text(12'345'678), "12,345,678");
  EXPECT_EQ(counted(1, "drill"), "1 drill");
  EXPECT_EQ(counted(2, "drill"), "2 drills");
}

TEST(RunWords, GiveEachMetricItsUnit) {
  EXPECT_EQ(value_text("outage_s", 6.8), "6.8 s");
  EXPECT_EQ(value_text("availability_pct", 99.975), "99.975 %");
  EXPECT_EQ(value_text("rpo_bytes", 1536), "1.5 KiB");
  EXPECT_EQ(value_text("lost", 3), "3 writes");
  EXPECT_EQ(value_text("no such metric", 3), "3");
  EXPECT_EQ(value_text("rpo_bytes", 1e300), "1e+300 bytes");
}

TEST(RunWords, AddUpTheLedgersOfAllRepeats) {
  DrillResult drill = testing::mixed_run().drills[0];
  drill.repeats[1].durability->lost = 2;
  drill.repeats[1].durability->weak = 40;
  drill.repeats[1].durability->weak_lost = 1;
  drill.repeats[2].durability->duplicated = 1;
  drill.repeats[2].durability->unexpected = 5;
  EXPECT_THAT(
      drill_sentence(drill),
      HasSubstr("2 of 14,436 acknowledged writes lost, 1 of 40 weakly acknowledged, 1 there twice, 5 failed "
                "ones there all the same"));
  drill.repeats[0].durability->lost.reset();
  EXPECT_THAT(drill_sentence(drill), HasSubstr("loss not measured (14,436 acknowledged writes)"))
      << "a sum of what is known would be too small";
}

TEST(RunWords, SayInHowManyRepeatsHealthCameBack) {
  DrillResult drill = testing::mixed_run().drills[0];
  drill.repeats[1].full_health_s.reset();
  EXPECT_THAT(drill_sentence(drill), HasSubstr("fully healthy after 8.1 / 8.4 / 8.8 s, in 2 of 3 repeats"));
}

TEST(RunWords, TakeTheStrictestLimitThatIsAboutThePath) {
  DrillResult drill = testing::passed_run().drills[0];
  drill.plan.expectations = {testing::sample_expectation(30),
                             {.metric = "outage_s", .limit = 20},
                             {.metric = "outage_s", .where = {.session = "pooled"}, .limit = 5},
                             {.metric = "span_s", .limit = 1}};
  EXPECT_THAT(drill_sentence(drill), HasSubstr("writes were down 6.8 s (limit 20 s), reads 0 s (limit 5 s)"));
}

TEST(RunWords, SayEachReasonOnceWithItsRepeat) {
  DrillResult drill = testing::mixed_run().drills[0];
  drill.repeats[1].expectations[0].passed = false;
  drill.repeats[1].reasons = {"outage_s (read_write, fresh): 8.25 s, limit 30 s", "it was a bad day"};
  drill.reasons = {"repeat 2: outage_s (read_write, fresh): 8.25 s, limit 30 s", "repeat 2: it was a bad day",
                   "the drill was cut short"};
  EXPECT_THAT(drill_reasons(drill),
              ElementsAre("repeat 2: outage_s (read_write, fresh) was 8.2 s, limit 30 s",
                          "repeat 2: it was a bad day", "the drill was cut short"));
}

TEST(RunWords, SayThatNoFaultWasInjected) {
  DrillResult drill = testing::mixed_run().drills[3];
  EXPECT_EQ(drill_sentence(drill), "no fault was injected");
}

}  // namespace
}  // namespace pgfiredrill
