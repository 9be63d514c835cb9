#include "calibration/comparison.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

/// One outage from 10 s to 11 s on a fresh path of 10 Hz whose logins take 5 ms: the bound is 107 ms.
PathEvidence evidence_with(std::vector<OutageWindow> windows, OutageKind kind = OutageKind::refuse,
                           SessionKind session = SessionKind::fresh) {
  return {.kind = kind,
          .session = session,
          .interval = 100ms,
          .deadline = 1s,
          .login_p99 = 5ms,
          .outages = {{10s, 11s}},
          .windows = std::move(windows)};
}

OutageWindow window(nanoseconds start, nanoseconds end) {
  return {.start = start, .end = end};
}

ComparedOutage only_outage(const PathEvidence& evidence) {
  const auto comparison = compare(evidence);
  EXPECT_THAT(comparison.outages, SizeIs(1));
  return comparison.outages.front();
}

TEST(Comparison, TakesTheErrorEitherWay) {
  EXPECT_EQ(only_outage(evidence_with({window(9'995ms, 11'080ms)})).error(), 85ms);
  EXPECT_EQ(only_outage(evidence_with({window(10'090ms, 11'000ms)})).error(), 90ms);
}

TEST(Comparison, BoundsAFreshPathByItsIntervalAndLogin) {
  const auto exact = only_outage(evidence_with({window(10s, 11'107ms)}));
  EXPECT_EQ(exact.bound, 107ms);
  EXPECT_TRUE(exact.within());
  EXPECT_FALSE(only_outage(evidence_with({window(10s, 11'108ms)})).within());
}

TEST(Comparison, BoundsAPooledPathByItsDeadline) {
  auto evidence = evidence_with({window(10s, 10'020ms)}, OutageKind::refuse, SessionKind::pooled);
  evidence.interval = 20ms;
  const auto compared = only_outage(evidence);
  EXPECT_EQ(compared.bound, 1'022ms) << "a login has no part in it: sessions wait for their next attempt";
  EXPECT_TRUE(compared.within());
}

/// What is let go within the deadline of an operation is no failure of it.
TEST(Comparison, SeesOfBytesHeldOnlyWhatOutlastsTheDeadline) {
  auto evidence = evidence_with({window(10s, 10'250ms)}, OutageKind::delay);
  evidence.outages = {{10s, 11'200ms}};
  const auto compared = only_outage(evidence);
  EXPECT_EQ(compared.visible, 200ms);
  EXPECT_EQ(compared.error(), 50ms);

  evidence.outages = {{10s, 10'900ms}};
  evidence.windows = {};
  EXPECT_EQ(only_outage(evidence).error(), 0ms);
}

TEST(Comparison, AddsOnlyStallsBesideTheOutage) {
  auto evidence = evidence_with({window(10s, 11'140ms)});
  evidence.stalls = {{"traffic", 11'050ms, 11'090ms}, {"traffic", 20s, 21s}};
  const auto compared = only_outage(evidence);
  EXPECT_EQ(compared.stall, 40ms);
  EXPECT_TRUE(compared.within()) << "140 ms off, and 147 ms allowed with the stall";
  EXPECT_FALSE(compared.within_without_stall());
}

TEST(Comparison, MeasuresFromTheFirstWindowToTheLast) {
  const auto compared = only_outage(evidence_with({window(10s, 10'200ms), window(10'900ms, 11s)}));
  EXPECT_EQ(compared.measured, 1s) << "service for a moment in between does not halve an outage";
}

TEST(Comparison, MissesOnlyWhatAnOperationMustHaveMet) {
  auto evidence = evidence_with({});
  EXPECT_TRUE(only_outage(evidence).missed);
  evidence.outages = {{10s, 10'200ms}};
  EXPECT_FALSE(only_outage(evidence).missed) << "two intervals, no longer";
  evidence.outages = {{10s, 10'201ms}};
  EXPECT_TRUE(only_outage(evidence).missed);

  for (auto late :
       {evidence_with({}, OutageKind::delay), evidence_with({}, OutageKind::refuse, SessionKind::pooled)}) {
    late.outages = {{10s, 11'200ms}};
    EXPECT_FALSE(only_outage(late).missed) << "an operation may wait for its deadline";
    late.outages = {{10s, 11'201ms}};
    EXPECT_TRUE(only_outage(late).missed);
  }
}

TEST(Comparison, NamesWindowsThatNoOutageExplains) {
  const auto comparison =
      compare(evidence_with({window(5s, 5'100ms), window(10s, 11s), window(12s, 12'100ms)}));
  ASSERT_THAT(comparison.invented, SizeIs(2));
  EXPECT_EQ(comparison.invented[0].start, 5s);
  EXPECT_EQ(comparison.invented[1].start, 12s);
  EXPECT_EQ(comparison.outages.front().error(), 0ms);
}

PathComparison comparison_of(std::size_t good, std::size_t with_stall, std::size_t bad = 0) {
  PathComparison made;
  const auto add = [&](std::size_t count, nanoseconds error) {
    for (std::size_t i = 0; i < count; ++i) {
      made.outages.push_back({.visible = 1s, .measured = 1s + error, .bound = 100ms, .stall = 50ms});
    }
  };
  add(good, 10ms);
  add(with_stall, 120ms);
  add(bad, 151ms);
  return made;
}

KindVerdict verdict_of(const PathComparison& comparison) {
  return judge_kind(OutageKind::reset, SessionKind::fresh, {comparison});
}

TEST(Comparison, HoldsWhereAtMostOneOfAHundredNeededItsStall) {
  EXPECT_TRUE(verdict_of(comparison_of(99, 1)).holds());
  EXPECT_FALSE(verdict_of(comparison_of(98, 2)).holds());
  EXPECT_FALSE(verdict_of(comparison_of(19, 1)).holds()) << "one of twenty is more than one of a hundred";
}

TEST(Comparison, DoesNotHoldWhereAnyIsOutsideMissedOrInvented) {
  EXPECT_FALSE(verdict_of(comparison_of(1000, 0, 1)).holds());
  auto missed = comparison_of(100, 0);
  missed.outages.front().missed = true;
  EXPECT_FALSE(verdict_of(missed).holds());
  auto invented = comparison_of(100, 0);
  invented.invented.push_back({});
  EXPECT_FALSE(verdict_of(invented).holds());
  EXPECT_FALSE(verdict_of({}).holds()) << "nothing was compared";
}

TEST(Comparison, SumsUpTheErrorsOfAllPaths) {
  const auto verdict =
      judge_kind(OutageKind::reset, SessionKind::fresh, {comparison_of(98, 1), comparison_of(0, 0, 1)});
  EXPECT_EQ(verdict.outages, 100u);
  EXPECT_EQ(verdict.error_p50, 10ms);
  EXPECT_EQ(verdict.error_p99, 120ms);
  EXPECT_EQ(verdict.error_max, 151ms);
  EXPECT_EQ(verdict.outside, 1u);
  EXPECT_EQ(verdict.outside_without_stall, 2u);
}

}  // namespace
}  // namespace pgfiredrill
