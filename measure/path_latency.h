#pragma once

/// How long the operations of one path took that succeeded, in the baseline and from the fault on: a
/// streaming fold. What did not succeed is no latency: it is in the outage windows.
///
/// An operation that was due before the fault and ended after it belongs to neither.

#include "measure/histogram.h"
#include "measure/repeat_times.h"
#include "measure/results.h"
#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

/// Of one path in one repeat. `response` runs from the due time, `service` from sending: of a fresh session
/// that is after its login.
struct PathHistograms {
  LatencyHistogram response_before, response_after;
  LatencyHistogram service_before, service_after;
};

class PathLatencyFold {
 public:
  /// `path` must outlive the fold.
  PathLatencyFold(const TrafficPath& path, const RepeatTimes& times);

  /// `done` records of the path, any order; others are passed over.
  void on(const Operation& operation);
  [[nodiscard]] const PathHistograms& histograms() const noexcept { return histograms_; }
  /// Empty where nothing succeeded.
  [[nodiscard]] PathLatency finish() const;

 private:
  [[nodiscard]] bool is_before(const Operation& operation) const;
  [[nodiscard]] bool is_after(const Operation& operation) const;

  const TrafficPath* path_;
  RepeatTimes times_;
  PathHistograms histograms_;
};

/// Absent where the histogram counted nothing.
[[nodiscard]] std::optional<LatencyResult> summary_of(const LatencyHistogram& histogram);

}  // namespace pgfiredrill
