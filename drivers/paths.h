#pragma once

/// The paths through a cluster: what its entry points are, turned into ways that traffic takes. Pure.

#include <vector>

#include "base/cluster_description.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

/// Canary paths: each balancer's read-write and read-only port, pooled and fresh; the virtual address; the
/// multi-host lists that clients use (5000 without and with target_session_attrs=read-write, 6432, 5432 where
/// reachable); poolers and servers of each member, pooled only (pinned). And one ledger path and one of
/// heartbeats, through the first read-write entry point. Rates are assigned by `assign_rates`, here 0.
[[nodiscard]] std::vector<TrafficPath> find_paths(const ClusterDescription& cluster);

}  // namespace pgfiredrill
