#pragma once

/// The instants of one repeat that numbers hang on, on the monotonic clock.

#include <optional>

#include "base/clock.h"

namespace pgfiredrill {

struct RepeatTimes {
  nanoseconds traffic_from{0};
  /// Traffic has warmed up: from here on a path that is needed must not fail before the fault.
  nanoseconds baseline_from{0};
  /// The fault was sent: the beginning of the injection's interval.
  std::optional<nanoseconds> injected;
  std::optional<nanoseconds> confirmed;
  /// End of observation: traffic stopped, else the last operation that was due.
  nanoseconds to{0};
  /// Up to here every operation that was due has its record.
  nanoseconds complete_until{0};

  /// What instants of results count from.
  [[nodiscard]] nanoseconds origin() const { return injected.value_or(traffic_from); }
};

}  // namespace pgfiredrill
