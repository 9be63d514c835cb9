#pragma once

/// When outages come and how long they last. Pure.

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace pgfiredrill {

inline constexpr nanoseconds kShortestOutage = std::chrono::milliseconds{20};
inline constexpr nanoseconds kLongestOutage = std::chrono::seconds{5};
/// Quiet before the first outage and after each: sessions come back within a second, and a window needs
/// successes that span a second to close.
inline constexpr nanoseconds kQuiet = std::chrono::milliseconds{2500};
/// Added at random, so that outages fall into every phase of a path's interval.
inline constexpr nanoseconds kMostJitter = std::chrono::milliseconds{500};

struct PlannedOutage {
  nanoseconds begin{0};  ///< from the plan's own start
  nanoseconds length{0};
  [[nodiscard]] nanoseconds end() const { return begin + length; }
};

/// `count` outages, their lengths log-uniform between the shortest and the longest; the same seed makes the
/// same plan.
[[nodiscard]] std::vector<PlannedOutage> plan_outages(int count, std::uint64_t seed);

/// When everything has been quiet for long enough after the last one.
[[nodiscard]] nanoseconds plan_end(const std::vector<PlannedOutage>& plan);

}  // namespace pgfiredrill
