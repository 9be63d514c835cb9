#pragma once

/// The guard: limits that a person sets for a drill while it runs. Beyond one of them the run stops and puts
/// everything back, as at Ctrl-C. It reads the folds of the live screen, which are the judge's. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "measure/live.h"
#include "record/manifest.h"

namespace pgfiredrill {

struct GuardLimit {
  std::string metric;  ///< one of `guarded_metrics`
  double limit = 0;    ///< in seconds; beyond it the run aborts
};

/// Metrics that are known while a drill runs, with ", " between them.
[[nodiscard]] std::string guarded_metrics();

/// `METRIC>N`, as `--abort-if` takes it. Fails `malformed` with what would be right.
[[nodiscard]] Result<GuardLimit> parse_guard_limit(const std::string& text);

/// The limit that is passed on some read-write path, as a sentence; absent: none is. Of the paths only those
/// count that the cluster itself needs and that no single member is behind: a path that is pinned to a server
/// that was hit stays down by design.
[[nodiscard]] std::optional<std::string> guard_trips(const std::vector<GuardLimit>& limits,
                                                     const std::vector<TrafficPath>& paths,
                                                     const std::vector<LivePath>& live);

}  // namespace pgfiredrill
