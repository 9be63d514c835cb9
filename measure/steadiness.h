#pragma once

/// Whether a path was up before the fault: a streaming fold in the order of due time.
///
/// An operation that was due before the injection and ended after it is not held against the baseline: the
/// fault may have hit it in flight.

#include <cstddef>
#include <string>

#include "measure/path_windows.h"
#include "measure/repeat_times.h"
#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

class Steadiness {
 public:
  Steadiness(const TrafficPath& path, const RepeatTimes& times);

  void on(const Operation& operation);
  /// Empty where the path was steady or nothing was injected.
  [[nodiscard]] std::string trouble() const;

 private:
  const TrafficPath* path_;
  RepeatTimes times_;
  PathWindows windows_;
  std::size_t troubles_ = 0;
  ErrorClass first_error_;
};

}  // namespace pgfiredrill
