#pragma once

/// From a suite and a cluster to a run's manifest: drills with nothing left open, paths with their rates.
/// Pure.

#include "base/clock.h"
#include "base/cluster_description.h"
#include "record/manifest.h"
#include "suites/run.h"

namespace pgfiredrill {

[[nodiscard]] RunManifest make_manifest(const RunRequest& request, const ClusterDescription& cluster,
                                        const Clock& clock);

[[nodiscard]] ClusterSummary summarise(const ClusterDescription& cluster);

}  // namespace pgfiredrill
