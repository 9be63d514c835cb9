#pragma once

/// Which outages of which kind come over which way in. Pure.

#include <cstdint>
#include <vector>

#include "calibration/stage.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

/// `outages` of each kind, over several lanes of each, so that it does not take long and the lanes' sessions
/// still bear no more logins than those of a run. The same seed makes the same plan.
[[nodiscard]] std::vector<StageLane> plan_lanes(const std::vector<OutageKind>& kinds, int outages,
                                                std::uint64_t seed);

/// When the last of them has been quiet for long enough, from the plans' own start.
[[nodiscard]] nanoseconds last_end(const std::vector<StageLane>& lanes);

/// Two paths through each lane, a fresh one at 2 × its number and the pooled one after it.
[[nodiscard]] std::vector<TrafficPath> paths_over(const std::vector<Endpoint>& lanes);

}  // namespace pgfiredrill
