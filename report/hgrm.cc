#include "report/hgrm.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace pgfiredrill {
namespace {

constexpr double kLinesPerHalving = 5;

double in_ms(nanoseconds time) {
  return static_cast<double>(time.count()) / 1e6;
}

double in_ms(const std::optional<nanoseconds>& time) {
  return in_ms(time.value_or(nanoseconds{0}));
}

/// The next share of operations that gets a line: steps halve with what is left.
double next_level(double level) {
  const double halvings = std::floor(std::log2(1 / (1 - level))) + 1;
  return level + 1 / (kLinesPerHalving * std::exp2(halvings));
}

std::string lines(const LatencyHistogram& histogram) {
  std::string text;
  double level = 0;
  std::uint64_t up_to = 0;
  const auto count = static_cast<double>(histogram.count());
  histogram.for_each([&](const LatencyHistogram::Bucket& bucket) {
    up_to += bucket.count;
    const double value = in_ms(std::min(bucket.last, histogram.max().value_or(bucket.last)));
    while (level < 1 && static_cast<double>(up_to) >= level * count) {
      text += fmt::format("{:12.3f} {:2.12f} {:10} {:14.2f}\n", value, level, up_to, 1 / (1 - level));
      level = next_level(level);
      if (up_to == histogram.count()) return;  // every further line would say the same
    }
  });
  if (histogram.count() == 0) return text;
  return text + fmt::format("{:12.3f} {:2.12f} {:10}\n", in_ms(histogram.max()), 1.0, histogram.count());
}

}  // namespace

std::string render_hgrm(const LatencyHistogram& histogram) {
  return fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount",
                     "1/(1-Percentile)") +
         lines(histogram) +
         fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n", in_ms(histogram.mean()),
                     in_ms(histogram.standard_deviation())) +
         fmt::format("#[Max     = {:12.3f}, Total count    = {:12}]\n", in_ms(histogram.max()),
                     histogram.count()) +
         fmt::format("#[Buckets = {:12}, SubBuckets     = {:12}]\n", LatencyHistogram::kBuckets,
                     LatencyHistogram::kSubBuckets);
}

}  // namespace pgfiredrill
