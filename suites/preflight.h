#pragma once

/// May a drill begin? The steady state that every drill starts from. Touches nothing.

#include <string>
#include <vector>

#include "cluster/cluster_probe.h"
#include "record/manifest.h"
#include "suites/obstacle.h"
#include "suites/run.h"

namespace pgfiredrill {

/// Why not; empty: it may. Pure.
[[nodiscard]] std::vector<Obstacle> obstacles_by_description(const ClusterDescription& cluster);
/// Of the steady state itself, a sentence each: nothing lets these pass. Pure.
[[nodiscard]] std::vector<std::string> refusals_by_snapshot(const ClusterDescription& cluster,
                                                            const ClusterSnapshot& now);

/// Other runs, and what a drill would break. Reads only: for --dry-run too. Blocking; worker threads.
[[nodiscard]] std::vector<Obstacle> obstacles_by_looking(const RunRequest& request,
                                                         const RunEnvironment& environment,
                                                         const ClusterSnapshot& now);

/// The same, and what a drill will need (REST's consent, a free name for the database, room for the record).
/// Blocking; worker threads.
[[nodiscard]] std::vector<Obstacle> obstacles_by_asking(const RunRequest& request,
                                                        const RunEnvironment& environment,
                                                        const RunManifest& manifest,
                                                        const ClusterSnapshot& now);

/// Patroni's limit for a candidate's lag, in bytes; where it is not known, a MiB as Patroni's own
/// documentation has it.
[[nodiscard]] std::int64_t maximum_lag_bytes(const ClusterDescription& cluster);

}  // namespace pgfiredrill
