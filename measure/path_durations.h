#pragma once

/// How long a path erred, stalled and went without a success, and its share of successes: a streaming fold in
/// the order of due time.

#include <cstddef>
#include <optional>

#include "base/clock.h"

namespace pgfiredrill {

struct TimedOutcome {
  nanoseconds due{0};
  bool success = false;
  bool error = false;
  bool stall = false;
};

class PathDurations {
 public:
  struct Totals {
    nanoseconds error{0};  ///< union of [due, next due) of operations that erred
    nanoseconds stall{0};  ///< the same of those that were late or dropped
    /// Longest span between the due times of successive successes; the last success before observation (else
    /// its beginning) and its end bound it, so that a path that never comes back does not show a short one.
    nanoseconds longest_gap{0};
    bool gap_is_open = false;  ///< the longest gap is the one that the end of observation cut
    std::size_t due = 0;
    std::size_t successes = 0;
  };

  /// Observation is [from, to); `interval` is the path's.
  PathDurations(nanoseconds from, nanoseconds to, nanoseconds interval);

  /// Operations from before observation only tell the last success before it.
  void on(const TimedOutcome& operation);
  [[nodiscard]] Totals finish() const;

 private:
  void on_success(nanoseconds due);
  static void close(Totals& totals, const TimedOutcome& operation, nanoseconds next_due);

  nanoseconds from_;
  nanoseconds to_;
  nanoseconds interval_;
  std::optional<TimedOutcome> last_;
  nanoseconds last_success_;
  Totals totals_;
};

}  // namespace pgfiredrill
