#pragma once

/// How many sessions traffic keeps on each path. Pure.

#include <string>
#include <vector>

#include "record/traffic_path.h"

namespace pgfiredrill {

/// What one pooler may be asked to hold for us where each session takes a server of its pool for as long as
/// it stands: the pool is the applications'.
inline constexpr int kSessionsPerPooler = 60;

/// Whether poolers of this `pool_mode` hold a server for each session. Unknown counts as the dearer one.
[[nodiscard]] bool pooler_holds_servers(const std::string& pool_mode);

/// For each path, in order: 0 for fresh ones, `ledger_connections` for the ledger's, else what its rate
/// needs. Where poolers hold servers, lanes get fewer, two at least, so that room is left in
/// `kSessionsPerPooler` for the sessions that are held across a fault: a lane that is short of sessions lets
/// operations wait, and does not slow down where the way is short.
[[nodiscard]] std::vector<int> plan_sessions(const std::vector<TrafficPath>& paths,
                                             const std::string& pool_mode, int ledger_connections);

/// Sessions of traffic that lie behind one pooler when every way leads to it, at most.
[[nodiscard]] int sessions_of_traffic(const std::vector<TrafficPath>& paths, const std::string& pool_mode,
                                      int ledger_connections);

}  // namespace pgfiredrill
