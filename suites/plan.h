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

/// Lowers the rates of fresh sessions to what the poolers bear, where a login costs one of them so much;
/// writes get what that leaves. True where something changed.
[[nodiscard]] bool lower_fresh_rates(RunManifest& manifest, const RunRequest& request,
                                     const ClusterDescription& cluster, double pooler_cpu_s_per_login);

/// A fault of the run is the helper's on the hosts.
[[nodiscard]] bool needs_helper(const RunManifest& manifest);

[[nodiscard]] ClusterSummary summarise(const ClusterDescription& cluster);

}  // namespace pgfiredrill
