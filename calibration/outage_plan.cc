#include "calibration/outage_plan.h"

#include <cmath>
#include <random>

namespace pgfiredrill {
namespace {

/// In [0, 1), the same with every standard library.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

nanoseconds scaled(nanoseconds duration, double factor) {
  return nanoseconds{std::llround(static_cast<double>(duration.count()) * factor)};
}

nanoseconds log_uniform(std::mt19937_64& random) {
  const double ratio =
      static_cast<double>(kLongestOutage.count()) / static_cast<double>(kShortestOutage.count());
  return scaled(kShortestOutage, std::pow(ratio, uniform(random)));
}

}  // namespace

std::vector<PlannedOutage> plan_outages(int count, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<PlannedOutage> plan;
  for (int i = 0; i < count; ++i) {
    const nanoseconds begin = plan_end(plan) + scaled(kMostJitter, uniform(random));
    plan.push_back({.begin = begin, .length = log_uniform(random)});
  }
  return plan;
}

nanoseconds plan_end(const std::vector<PlannedOutage>& plan) {
  return kQuiet + (plan.empty() ? nanoseconds{0} : plan.back().end());
}

}  // namespace pgfiredrill
