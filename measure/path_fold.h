#pragma once

/// Everything that is measured of one canary path in one repeat: a streaming fold over its operations in the
/// order of due time.

#include <optional>
#include <string>
#include <vector>

#include "measure/error_windows.h"
#include "measure/instrument_check.h"
#include "measure/path_durations.h"
#include "measure/path_latency.h"
#include "measure/path_windows.h"
#include "measure/repeat_times.h"
#include "measure/results.h"
#include "measure/standby_errors.h"
#include "measure/steadiness.h"
#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

struct MeasuredPath {
  PathResult result;
  std::string unsteady;               ///< why its numbers cannot be laid at the fault's door; empty: steady
  std::string unmeasured;             ///< why there are no numbers; empty: there are
  bool gap_is_open = false;           ///< `longest_gap_s` was cut by the end of observation
  std::vector<OutageWindow> windows;  ///< those of `result`, on the monotonic clock
  StandbyErrors standby_errors;
};

class PathFold {
 public:
  /// `path` must outlive the fold.
  PathFold(const TrafficPath& path, const RepeatTimes& times, const std::vector<LoopStall>& stalls,
           const std::vector<LoopLoad>& loads = {});

  void on(const Operation& operation);
  [[nodiscard]] MeasuredPath finish() const;

 private:
  void on_done(const Operation& operation);
  void observe(const Operation& operation);
  void give_up_unanswered(nanoseconds before);
  [[nodiscard]] bool in_traffic(nanoseconds due) const;
  void fill_numbers(MeasuredPath& measured) const;
  [[nodiscard]] Instrument instrument() const;
  [[nodiscard]] bool stalls_matter() const;
  [[nodiscard]] bool nearly(nanoseconds a, nanoseconds b) const;

  const TrafficPath* path_;
  RepeatTimes times_;
  std::vector<LoopLoad> loads_;
  std::vector<Operation> unanswered_;  ///< `sent` of writes whose `done` did not come yet
  std::optional<nanoseconds> last_due_;
  std::size_t disordered_ = 0;
  Steadiness steadiness_;
  PathWindows windows_;
  PathWindows windows_without_stalls_;  ///< as if what a stall of ours touched had succeeded
  PathDurations durations_;
  ErrorWindows errors_;
  InstrumentCheck instrument_;
  PathLatencyFold latency_;
  StandbyErrors standby_errors_;
};

}  // namespace pgfiredrill
