#pragma once

/// What a switchover and a failover that Patroni was asked for have in common: who may take over, how long
/// the answer may take, and when it is proven.

#include <chrono>
#include <string>
#include <vector>

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// Names of the members that may lead now, the synchronous ones first: under synchronous replication Patroni
/// switches over to no other, and a failover to another could lose writes.
[[nodiscard]] std::vector<std::string> candidates(const ClusterSnapshot& now);

/// The one leader, if there is somebody to take over from it; else fails `missing`.
[[nodiscard]] Result<PatroniMember> leader_with_candidates(const ClusterSnapshot& now,
                                                           const std::string& fault);

/// Patroni waits twice loop_wait, and that at least ten seconds, before it gives up.
[[nodiscard]] std::chrono::milliseconds answer_patience(const ClusterDescription& cluster);

/// Another than `old` leads, on a later timeline, and its PostgreSQL takes writes.
[[nodiscard]] Evidence has_handed_over(const ClusterSnapshot& now, const PatroniMember& old);

}  // namespace pgfiredrill::fault
