#pragma once

/// Whether the program itself kept up on a path: what it offered, what it dropped, how long its loops stood
/// still. A streaming fold.

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/path_windows.h"
#include "measure/results.h"
#include "record/event.h"
#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

/// A loop of ours that stood still.
struct LoopStall {
  std::string loop;  ///< "traffic", "connector-0"
  nanoseconds from{0};
  nanoseconds to{0};
  [[nodiscard]] nanoseconds length() const { return to - from; }
};

/// From `loop_stall` events, which are written when the stall is over.
[[nodiscard]] std::vector<LoopStall> loop_stalls(const std::vector<Event>& events);

/// Those of the loops that serve the path: pooled lanes live on the traffic loop, fresh sessions log in on
/// the connectors and are sent on their way by the traffic loop. Loops of unknown names are charged to all.
[[nodiscard]] std::vector<LoopStall> stalls_of_path(const std::vector<LoopStall>& stalls,
                                                    const TrafficPath& path);

/// CPU time that a loop of ours used, as a share of one core.
struct LoopLoad {
  std::string loop;
  nanoseconds from{0};
  nanoseconds to{0};
  double share = 0;
};

/// From `loop_cpu` events, which are written at the end of what they tell of.
[[nodiscard]] std::vector<LoopLoad> loop_loads(const std::vector<Event>& events);

/// Why a path that these windows were measured on cannot be trusted: a loop that serves it was nearly all the
/// time busy in a second of one of them, so that answers may have waited here and not in the cluster. Empty:
/// none was.
[[nodiscard]] std::string overload_in(const std::vector<OutageWindow>& windows,
                                      const std::vector<LoopLoad>& loads, const TrafficPath& path);

/// Where operations of a path are looked at.
struct Observation {
  nanoseconds from{0};
  nanoseconds to{0};
  /// Up to here every operation that was due has its record; earlier than `to` where the program was killed.
  nanoseconds complete_until{0};
};

class InstrumentCheck {
 public:
  InstrumentCheck(const TrafficPath& path, std::vector<LoopStall> stalls, Observation observation);

  /// `done` records of the path, any order.
  void on(const Operation& operation);
  /// A stall of our own may be why it did not succeed.
  [[nodiscard]] bool touched_by_stall(const Operation& operation) const;
  /// `stalls_matter`: the outages would be others, had the operations that a stall touched succeeded.
  [[nodiscard]] Instrument finish(bool stalls_matter) const;

 private:
  [[nodiscard]] bool falls_into_stall(nanoseconds at, nanoseconds longer_than) const;
  [[nodiscard]] std::string rate_trouble() const;

  const TrafficPath* path_;
  std::vector<LoopStall> stalls_;
  Observation observation_;
  std::size_t offered_ = 0;
  std::size_t offered_while_complete_ = 0;
  std::size_t achieved_ = 0;
  std::size_t dropped_ = 0;
  std::size_t dispatched_late_ = 0;
  std::size_t touched_ = 0;
};

}  // namespace pgfiredrill
