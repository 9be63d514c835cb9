#pragma once

/// Durations as the seconds that results hold.

#include "base/clock.h"

namespace pgfiredrill {

[[nodiscard]] constexpr double seconds(nanoseconds duration) noexcept {
  return static_cast<double>(duration.count()) / 1e9;
}

/// Instants beyond 73 years of uptime come from no clock: leaving them out keeps every sum and difference of
/// two instants in range.
inline constexpr nanoseconds kLatestInstant{nanoseconds::rep{1} << 61};

[[nodiscard]] constexpr bool plausible_instant(nanoseconds at) noexcept {
  return at >= nanoseconds{0} && at <= kLatestInstant;
}

}  // namespace pgfiredrill
