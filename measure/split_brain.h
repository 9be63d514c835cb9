#pragma once

/// Whether two servers took writes at the same time: proven by what clients were told, possible by what the
/// servers said of themselves.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/server_states.h"
#include "record/operation.h"

namespace pgfiredrill {

/// A fully acknowledged write, by this machine's clock.
struct TimedWrite {
  std::uint16_t path = 0;
  std::uint64_t number = 0;
  std::uint32_t timeline = 0;
  nanoseconds sent{0};
  nanoseconds completed{0};
};

/// The proof: `stale` is on an earlier timeline than `newer`, and was sent after `newer` had completed.
struct StaleWrite {
  TimedWrite stale;
  TimedWrite newer;
  bool through_entry_point = false;  ///< `stale` went where routing decides, not to a node by its name

  [[nodiscard]] nanoseconds late_by() const { return stale.sent - newer.completed; }
};

/// A streaming fold over the operations of all paths, in any order. Memory grows with the timelines only.
class StaleWriteFold {
 public:
  /// Weak acknowledgements and doubts prove nothing: a weak one may be on no other server, and a write in
  /// doubt may have been taken before it was thought of as sent late.
  void on(const Operation& operation, bool through_entry_point);

  /// An acknowledged write told its timeline: without one there is nothing to compare.
  [[nodiscard]] bool saw_writes() const noexcept { return !timelines_.empty(); }
  /// Absent where nothing is proven. The latest stale write, one through an entry point before any other.
  [[nodiscard]] std::optional<StaleWrite> finish() const;

 private:
  struct Timeline {
    std::optional<TimedWrite> first_completed;
    std::optional<TimedWrite> last_sent_through_entry_point;
    std::optional<TimedWrite> last_sent_to_node;
  };
  [[nodiscard]] std::optional<StaleWrite> latest_stale(std::optional<TimedWrite> Timeline::*last_sent,
                                                       bool through_entry_point) const;

  std::map<std::uint32_t, Timeline> timelines_;
};

/// Two members that were out of recovery at once: certainly so from `from` to `to`, whatever instant within
/// its round trip each answer describes. No server goes back into recovery without a new postmaster, so one
/// that said twice that it is out of it was so in between.
struct OpenTogether {
  std::string one, other;
  nanoseconds from{0};
  nanoseconds to{0};

  [[nodiscard]] nanoseconds length() const { return to - from; }
};

/// The longest overlap of each two members.
[[nodiscard]] std::vector<OpenTogether> open_together(const std::vector<DirectAnswer>& answers);

}  // namespace pgfiredrill
