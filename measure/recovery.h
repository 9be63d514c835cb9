#pragma once

/// When the cluster was fully healthy again: once a second it was asked, and every path that is needed
/// answers.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace pgfiredrill {

struct HealthSample {
  nanoseconds at{0};
  bool healthy = false;
  std::string gaps;
};

/// A span in which a needed path was down.
struct DownSpan {
  std::string path;
  nanoseconds start{0};
  nanoseconds end{0};
  bool censored = false;
};

struct Recovery {
  std::optional<nanoseconds> healthy_at;
  std::string why_not;  ///< where it was not seen to become healthy
  /// The last moment at which it was seen not to be healthy for good; absent where it was not watched.
  std::optional<nanoseconds> unhealthy_until;
};

/// The beginning of the stretch of health that lasted to the end of watching, held for at least 2 s, and
/// began when or after the fault was confirmed. Samples in the order of time.
[[nodiscard]] Recovery find_recovery(const std::vector<HealthSample>& samples,
                                     const std::vector<DownSpan>& down_spans, nanoseconds fault_confirmed);

}  // namespace pgfiredrill
