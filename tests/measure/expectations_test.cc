#include "measure/expectations.h"

#include <limits>

#include <gtest/gtest.h>

#include "history.h"
#include "measure/judge.h"
#include "measure/metric_values.h"

namespace pgfiredrill {
namespace {

MeasuredPath path(double outage_s, const std::string& entrypoint = "pg1:5000") {
  MeasuredPath measured;
  measured.result.path = testing::canary(100);
  measured.result.path.id = entrypoint + "/read_write/fresh";
  measured.result.path.entrypoint = entrypoint;
  measured.result.resolution_s = 0.01;
  measured.result.outage_s = outage_s;
  measured.result.availability_pct = 99;
  measured.result.windows = {{1, 1 + outage_s, false}};
  return measured;
}

MeasuredPath censored(double outage_s, const std::string& entrypoint = "pg1:5000") {
  MeasuredPath measured = path(outage_s, entrypoint);
  measured.result.windows.back().censored = true;
  return measured;
}

JudgedExpectation judge(const Expectation& expectation, const std::vector<MeasuredPath>& paths,
                        const RepeatResult& repeat = {}, std::optional<double> at_least = std::nullopt,
                        const std::string& distrust = "") {
  return judge_expectation(
      expectation,
      {.repeat = repeat, .paths = paths, .full_health_at_least_s = at_least, .distrust = distrust});
}

Expectation outage(double limit, Fold over = Fold::max, const std::string& entrypoint = "") {
  return {.metric = "outage_s", .where = {.entrypoint = entrypoint}, .over = over, .limit = limit};
}

TEST(Expectations, FoldOverTheMatchedPaths) {
  const std::vector<MeasuredPath> paths{path(3), path(5, "pg2:5000")};
  EXPECT_EQ(judge(outage(9), paths).result.measured, 5.0);
  EXPECT_EQ(judge(outage(9, Fold::min), paths).result.measured, 3.0);
  EXPECT_EQ(judge(outage(9, Fold::sum), paths).result.measured, 8.0);
  EXPECT_EQ(judge(outage(9, Fold::max, "pg1:5000"), paths).result.measured, 3.0);
}

TEST(Expectations, TheLimitItselfPasses) {
  EXPECT_EQ(judge(outage(5), {path(5)}).verdict, Verdict::passed);
  EXPECT_TRUE(judge(outage(5), {path(5)}).result.passed);
  EXPECT_EQ(judge(outage(0.3), {path(0.1 + 0.2)}).verdict, Verdict::passed);
  const JudgedExpectation above = judge(outage(5), {path(5.001)});
  EXPECT_EQ(above.verdict, Verdict::failed);
  EXPECT_FALSE(above.result.passed);
  EXPECT_NE(above.reason.find("5.001"), std::string::npos);
}

TEST(Expectations, AvailabilityMustNotBeBelow) {
  const Expectation availability{.metric = "availability_pct", .over = Fold::min, .limit = 99};
  EXPECT_EQ(judge(availability, {path(1)}).verdict, Verdict::passed);
  Expectation higher = availability;
  higher.limit = 99.5;
  EXPECT_EQ(judge(higher, {path(1)}).verdict, Verdict::failed);
}

TEST(Expectations, EveryFieldOfWhereMustMatch) {
  const std::vector<MeasuredPath> paths{path(3)};
  Expectation all = outage(5);
  all.where = {"pg1:5000", "balancer", "read_write", "fresh"};
  EXPECT_EQ(judge(all, paths).verdict, Verdict::passed);
  const std::vector<Expectation::Where> others{
      {.entrypoint = "pg2:5000"}, {.depth = "pooler"}, {.access = "read_only"}, {.session = "pooled"}};
  for (const Expectation::Where& where : others) {
    Expectation other = outage(5);
    other.where = where;
    EXPECT_EQ(judge(other, paths).verdict, Verdict::inconclusive);
    EXPECT_FALSE(judge(other, paths).result.measured);
    EXPECT_EQ(judge(other, paths).result.why, "no path matches");
  }
}

TEST(Expectations, PathsThatMayBeStaleMatchOnlyByName) {
  MeasuredPath list = path(300, "list:6432+tsa");
  list.result.path.needed_for_steady_state = false;
  EXPECT_EQ(judge(outage(5), {path(3), list}).verdict, Verdict::passed);
  EXPECT_EQ(judge(outage(5, Fold::max, "list:6432+tsa"), {path(3), list}).verdict, Verdict::failed);
}

TEST(Expectations, NotMeasuredIsInconclusive) {
  MeasuredPath unmeasured = path(3);
  unmeasured.result.outage_s.reset();
  unmeasured.unmeasured = "no fault was injected";
  const JudgedExpectation judged = judge(outage(5), {path(1), unmeasured});
  EXPECT_EQ(judged.verdict, Verdict::inconclusive);
  EXPECT_FALSE(judged.result.measured);
  EXPECT_NE(judged.result.why.find("no fault was injected"), std::string::npos);
}

TEST(Expectations, OpenOutageFailsOnlyWhereItIsAlreadyAbove) {
  EXPECT_EQ(judge(outage(5), {censored(6)}).verdict, Verdict::failed);
  const JudgedExpectation below = judge(outage(5), {censored(4)});
  EXPECT_EQ(below.verdict, Verdict::inconclusive);
  EXPECT_EQ(below.result.measured, 4.0);
  EXPECT_EQ(judge(outage(5, Fold::sum), {path(3), censored(3, "pg2:5000")}).verdict, Verdict::failed);
  EXPECT_EQ(judge(outage(5, Fold::min), {path(3), censored(9, "pg2:5000")}).verdict, Verdict::passed);
}

TEST(Expectations, OpenGapIsLikeAnOpenOutage) {
  Expectation gap = outage(5);
  gap.metric = "longest_gap_s";
  MeasuredPath measured = path(3);
  measured.result.longest_gap_s = 4;
  EXPECT_EQ(judge(gap, {measured}).verdict, Verdict::passed);
  measured.gap_is_open = true;
  EXPECT_EQ(judge(gap, {measured}).verdict, Verdict::inconclusive);
}

TEST(Expectations, WhatIsFinerThanTheResolutionCannotBeTold) {
  MeasuredPath coarse = path(0);
  coarse.result.windows.clear();
  coarse.result.resolution_s = 1;
  EXPECT_EQ(judge(outage(0.5), {coarse}).verdict, Verdict::inconclusive);
  EXPECT_EQ(judge(outage(1), {coarse}).verdict, Verdict::passed);
  coarse.result.outage_s = 1;
  EXPECT_EQ(judge(outage(0.5), {coarse}).verdict, Verdict::inconclusive) << "may have lasted a moment";
  coarse.result.outage_s = 30;
  EXPECT_EQ(judge(outage(0.5), {coarse}).verdict, Verdict::failed) << "lasted 29 s at the least";
}

TEST(Expectations, LimitOfZeroAsksThatNothingFails) {
  MeasuredPath up = path(0);
  up.result.windows.clear();
  EXPECT_EQ(judge(outage(0), {up}).verdict, Verdict::passed);
  EXPECT_EQ(judge(outage(0), {path(0.01)}).verdict, Verdict::failed);
}

TEST(Expectations, NumbersThatCannotBeTrustedNeitherPassNorFail) {
  for (const double limit : {1.0, 30.0}) {
    MeasuredPath stalled = path(5);
    stalled.result.instrument = {.valid = false, .why = "slept"};
    EXPECT_EQ(judge(outage(limit), {stalled}).verdict, Verdict::inconclusive);
    MeasuredPath unsteady = path(5);
    unsteady.unsteady = "was down";
    EXPECT_EQ(judge(outage(limit), {unsteady}).verdict, Verdict::inconclusive);
    EXPECT_EQ(judge(outage(limit), {path(5)}, {}, {}, "the fault did not take").verdict,
              Verdict::inconclusive);
    EXPECT_EQ(judge(outage(limit), {path(5)}, {}, {}, "the fault did not take").result.measured, 5.0);
  }
}

TEST(Expectations, MetricsOfTheRepeat) {
  RepeatResult repeat;
  repeat.full_health_s = 12;
  repeat.durability = Durability{.in_doubt = 3, .lost = 0, .rpo_bytes = 100};
  const auto verdict = [&](const std::string& metric, double limit) {
    return judge({.metric = metric, .limit = limit}, {}, repeat).verdict;
  };
  EXPECT_EQ(verdict("full_health_s", 12), Verdict::passed);
  EXPECT_EQ(verdict("full_health_s", 11), Verdict::failed);
  EXPECT_EQ(verdict("lost", 0), Verdict::passed);
  EXPECT_EQ(verdict("in_doubt", 2), Verdict::failed);
  EXPECT_EQ(verdict("rpo_bytes", 99), Verdict::failed);
  EXPECT_EQ(verdict("duplicated", 0), Verdict::inconclusive);
  EXPECT_EQ(verdict("nonsense", 0), Verdict::inconclusive);
}

TEST(Expectations, HealthThatWasNotReachedFailsOnceItTookLonger) {
  RepeatResult repeat;
  repeat.not_measured = {{"/recovery/full_health_s", "no leader"}};
  const Expectation health{.metric = "full_health_s", .limit = 60};
  EXPECT_EQ(judge(health, {}, repeat, 300).verdict, Verdict::failed);
  EXPECT_EQ(judge(health, {}, repeat, 30).verdict, Verdict::inconclusive);
  EXPECT_EQ(judge(health, {}, repeat, 300, "the fault did not take").verdict, Verdict::inconclusive);
  const JudgedExpectation unwatched = judge(health, {}, repeat);
  EXPECT_EQ(unwatched.verdict, Verdict::inconclusive);
  EXPECT_EQ(unwatched.result.why, "no leader");
}

TEST(Expectations, LimitThatIsNoNumberDecidesNothing) {
  EXPECT_EQ(judge(outage(std::numeric_limits<double>::quiet_NaN()), {path(3)}).verdict,
            Verdict::inconclusive);
}

TEST(Metrics, EachHasAValueOfItsOwn) {
  PathResult path;
  double next = 1;
  for (auto* field : {&path.outage_s, &path.unavailable_s, &path.span_s, &path.error_s, &path.stall_s,
                      &path.longest_gap_s, &path.partial_s, &path.availability_pct}) {
    *field = next++;
  }
  RepeatResult repeat;
  repeat.durability = Durability{
      .in_doubt = 11, .lost = 12, .weak_lost = 13, .unexpected = 14, .duplicated = 15, .rpo_bytes = 16};
  repeat.replica_lag = ReplicaLag{.max_bytes = 18, .max_s = 17};
  repeat.return_to_normal = ReturnToNormal{.throughput_s = 19, .p95_s = 20};
  repeat.failovers = 21;
  repeat.full_health_s = 22;
  std::vector<double> values;
  for (const Metric& metric : metrics()) {
    const auto value = metric.of_paths ? path_value(path, metric.name) : repeat_value(repeat, metric.name);
    ASSERT_TRUE(value) << metric.name;
    values.push_back(*value);
  }
  EXPECT_EQ(values,
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 11, 16, 17, 18, 19, 20, 21, 22}));
  EXPECT_EQ(find_metric("outage"), nullptr);
}

}  // namespace
}  // namespace pgfiredrill
