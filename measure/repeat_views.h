#pragma once

/// What takes several paths of a repeat together, or a path that has no windows: the ledger's latency, when
/// traffic as a whole was back, what applications would have seen. A streaming fold over all operations of a
/// repeat in the order of due time.

#include <map>
#include <vector>

#include "measure/application_views.h"
#include "measure/path_latency.h"
#include "measure/repeat_times.h"
#include "measure/results.h"
#include "measure/return_to_normal.h"
#include "record/manifest.h"
#include "record/operation.h"

namespace pgfiredrill {

struct RepeatViews {
  std::vector<LedgerLatency> ledger_latency;
  JudgedReturn back_to_normal;
  std::vector<ApplicationView> applications;
};

class RepeatViewsFold {
 public:
  /// `manifest` must outlive the fold.
  RepeatViewsFold(const RunManifest& manifest, const RepeatTimes& times);

  /// Of a path that the manifest has.
  void on(const Operation& operation);
  [[nodiscard]] RepeatViews finish() const;

 private:
  const RunManifest* manifest_;
  ReturnToNormalFold back_to_normal_;
  std::map<std::size_t, PathLatencyFold> ledgers_;       ///< by the path's number
  std::map<std::size_t, ApplicationFold> applications_;  ///< by the path's number
};

/// Puts them into the result, each null with its reason; the latencies of the result's paths as well.
void put_views(const RepeatViews& views, RepeatResult& result);

}  // namespace pgfiredrill
