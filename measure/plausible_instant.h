#pragma once

/// Which instants of a record can be believed.

#include "base/clock.h"

namespace pgfiredrill {

/// Instants beyond 73 years of uptime come from no clock: leaving them out keeps every sum and difference of
/// two instants in range.
inline constexpr nanoseconds kLatestInstant{nanoseconds::rep{1} << 61};

[[nodiscard]] constexpr bool plausible_instant(nanoseconds at) noexcept {
  return at >= nanoseconds{0} && at <= kLatestInstant;
}

}  // namespace pgfiredrill
