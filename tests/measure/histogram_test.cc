#include "measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

using std::chrono::microseconds;
using namespace std::chrono_literals;

LatencyHistogram of(const std::vector<std::int64_t>& times_us) {
  LatencyHistogram histogram;
  for (const std::int64_t us : times_us) histogram.record(microseconds{us});
  return histogram;
}

std::int64_t in_us(std::optional<nanoseconds> time) {
  return std::chrono::duration_cast<microseconds>(time.value()).count();
}

/// Spread over every power of ten from 1 µs to 1 h.
std::vector<std::int64_t> random_times(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> exponent{0, std::log10(3.6e9)};
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < n; ++i) {
    times.push_back(static_cast<std::int64_t>(std::pow(10, exponent(random))));
  }
  return times;
}

TEST(LatencyHistogram, NothingCountedIsNothingMeasured) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_FALSE(histogram.mean());
  EXPECT_FALSE(histogram.max());
  EXPECT_FALSE(histogram.standard_deviation());
  EXPECT_FALSE(histogram.value_at_quantile(0.5));
}

TEST(LatencyHistogram, ShortTimesAreExactToTheMicrosecond) {
  const LatencyHistogram histogram = of({1, 2, 3, 2047});
  EXPECT_EQ(in_us(histogram.value_at_quantile(0)), 1);
  EXPECT_EQ(in_us(histogram.value_at_quantile(0.25)), 1);
  EXPECT_EQ(in_us(histogram.value_at_quantile(0.26)), 2);
  EXPECT_EQ(in_us(histogram.value_at_quantile(0.75)), 3);
  EXPECT_EQ(in_us(histogram.value_at_quantile(1)), 2047);
  EXPECT_EQ(histogram.mean(), 513250ns);
}

TEST(LatencyHistogram, QuantilesStayWithinAThousandthOfASortedList) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto times = random_times(seed, 1 + seed * 137);
    const LatencyHistogram histogram = of(times);
    std::sort(times.begin(), times.end());
    EXPECT_EQ(in_us(histogram.max()), times.back());
    for (int per_mille = 1; per_mille <= 1000; ++per_mille) {
      const auto size = static_cast<std::int64_t>(times.size());
      const std::int64_t rank = (per_mille * size + 999) / 1000;
      const std::int64_t exact = times[static_cast<std::size_t>(rank - 1)];
      const std::int64_t found = in_us(histogram.value_at_quantile(per_mille / 1000.0));
      EXPECT_GE(found, exact) << "seed " << seed << ", " << per_mille << " per mille";
      EXPECT_LE(static_cast<double>(found - exact), 0.001 * static_cast<double>(exact))
          << "seed " << seed << ", " << per_mille << " per mille";
    }
  }
}

TEST(LatencyHistogram, MeanIsExactAndDeviationNearlySo) {
  const auto times = random_times(3, 5000);
  double sum = 0, squares = 0;
  for (const std::int64_t us : times) sum += static_cast<double>(us);
  const double mean = sum / 5000;
  for (const std::int64_t us : times) squares += std::pow(static_cast<double>(us) - mean, 2);
  const LatencyHistogram histogram = of(times);
  EXPECT_NEAR(static_cast<double>(histogram.mean()->count()) / 1000, mean, 0.001);
  const double deviation = std::sqrt(squares / 5000);
  EXPECT_NEAR(static_cast<double>(histogram.standard_deviation()->count()) / 1000, deviation,
              0.001 * deviation);
}

TEST(LatencyHistogram, MergedIsAsIfCountedTogether) {
  const auto first = random_times(4, 900), second = random_times(5, 1700);
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  LatencyHistogram merged = of(first);
  merged.add(of(second));
  merged.add(LatencyHistogram{});
  const LatencyHistogram together = of(both);
  EXPECT_EQ(merged.count(), 2600u);
  EXPECT_EQ(merged.mean(), together.mean());
  EXPECT_EQ(merged.max(), together.max());
  for (int percent = 0; percent <= 100; ++percent) {
    EXPECT_EQ(merged.value_at_quantile(percent / 100.0), together.value_at_quantile(percent / 100.0));
  }
}

TEST(LatencyHistogram, WhatLiesOutsideItsRangeCountsAtTheEdge) {
  LatencyHistogram histogram;
  histogram.record(-5ms);
  histogram.record(0ns);
  histogram.record(999ns);
  histogram.record(50h);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.value_at_quantile(0.75), 0ns);
  EXPECT_EQ(histogram.max(), 1h);
  EXPECT_EQ(histogram.value_at_quantile(1), 1h);
}

TEST(LatencyHistogram, BucketsCoverEveryTimeOnce) {
  // Around each power of two, where the width doubles.
  std::vector<std::int64_t> edges;
  for (std::int64_t power = 1024; power < 3'600'000'000; power *= 2) {
    for (std::int64_t offset = -2; offset <= 2; ++offset) edges.push_back(power + offset);
  }
  for (const std::int64_t us : edges) {
    std::size_t buckets = 0;
    of({us}).for_each([&](const LatencyHistogram::Bucket& bucket) {
      ++buckets;
      EXPECT_LE(bucket.first, microseconds{us});
      EXPECT_GE(bucket.last, microseconds{us});
      EXPECT_LE(1000 * (bucket.last - bucket.first), microseconds{us}) << "wider than a thousandth";
    });
    EXPECT_EQ(buckets, 1u) << us;
  }
}

}  // namespace
}  // namespace pgfiredrill
