#pragma once

/// What a login costs a pooler, so that a drill's fresh sessions can be few enough for it.

#include "base/cluster_description.h"
#include "base/failure.h"
#include "cluster/cluster_probe.h"
#include "cluster/sql_access.h"
#include "drivers/traffic.h"

namespace pgfiredrill {

/// CPU seconds that a login and one statement cost the dearest of the cluster's poolers: what the processes
/// of each used while a few logins went through it. Logins of others at the same time make it dearer than it
/// is, never cheaper. Fails where no pooler could be watched; a cluster without poolers fails `missing`.
/// Blocking, some seconds; worker threads only.
[[nodiscard]] Result<double> measure_login_cost(const ClusterDescription& cluster, const HostFinder& hosts,
                                                SqlAccess& sql, const TrafficAccess& access);

/// Logins a second that take no more than 15 % of one core from a pooler for which each costs so much. All
/// may meet in one process: behind every balancer's port for writes stands the leader's pooler.
[[nodiscard]] double bearable_logins(double cpu_s_per_login);

}  // namespace pgfiredrill
