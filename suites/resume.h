#pragma once

/// Going on with an earlier run: what it has measured is not measured again. Pure.

#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "measure/results.h"
#include "record/manifest.h"

namespace pgfiredrill {

struct ContinuedRun {
  std::string run_id;               ///< empty: none
  std::vector<DrillPlan> measured;  ///< its drills that passed or failed, each with `measured`
};

/// Fails `malformed` where that was another suite or another cluster.
[[nodiscard]] Result<ContinuedRun> continue_run(const RunResult& before, const std::string& suite,
                                                const ClusterDescription& cluster);

/// How the same drill ended there; absent: it has to be run. The same fault and no fewer repeats are asked
/// for, since a drill of the same name may have been changed.
[[nodiscard]] std::optional<MeasuredBefore> measured_before(const ContinuedRun& continued,
                                                            const DrillPlan& plan);

}  // namespace pgfiredrill
