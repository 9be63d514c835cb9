#pragma once

/// The nodes' wall clocks against this machine's, from the direct sessions' answers: each holds the server's
/// clock at some instant of a round trip that was timed here. Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/results.h"
#include "measure/server_states.h"

namespace pgfiredrill {

/// Whether readings, each true to within its own error, can all be of clocks that only drift.
class SteadyTrack {
 public:
  /// False where this reading and those before it cannot: a step lies between.
  [[nodiscard]] bool take(nanoseconds at, nanoseconds value, nanoseconds error);

 private:
  std::optional<nanoseconds> last_at_;
  nanoseconds low_{0};
  nanoseconds high_{0};
};

struct LocalInstant {
  nanoseconds at{0};     ///< this machine's monotonic clock
  nanoseconds error{0};  ///< at most
};

class NodeClock {
 public:
  /// In the order of `at`.
  void on(const DirectAnswer& answer);

  [[nodiscard]] ClockResult result(const std::string& node) const;
  /// When the server's wall clock showed `server`. Absent where nothing was measured, and where it showed
  /// that twice because it was set back.
  [[nodiscard]] std::optional<LocalInstant> to_ours(nanoseconds server) const;

 private:
  struct Reading {
    nanoseconds at{0};      ///< middle of the round trip, monotonic
    nanoseconds server{0};  ///< what the server's clock showed then, to within `error`
    nanoseconds offset{0};  ///< of the server's wall clock from ours
    nanoseconds error{0};
  };

  void note_step(nanoseconds at, bool of_ours);
  [[nodiscard]] std::optional<double> drift_ppm() const;

  std::vector<Reading> readings_;
  SteadyTrack against_wall_, against_monotonic_, own_wall_;
  std::size_t offset_from_ = 0;  ///< first reading since the last step of the offset
  std::vector<std::size_t>
      mapped_from_;  ///< where stretches of one straight line of server to monotonic begin
  std::optional<nanoseconds> stepped_at_;
  std::size_t steps_ = 0;
  std::size_t own_steps_ = 0;
};

/// One result for each node, absent numbers with their reason.
[[nodiscard]] std::vector<ClockResult> measure_clocks(const std::vector<Event>& events,
                                                      const std::vector<std::string>& nodes);

}  // namespace pgfiredrill
