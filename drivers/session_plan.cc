#include "drivers/session_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "drivers/pooled_lane.h"

namespace pgfiredrill {
namespace {

/// Of those that a pooler may hold: for sessions that are held across a fault.
constexpr int kRoomForClients = 15;
constexpr int kLeastSessions = 2;

/// How long a fresh session stands, login and all.
constexpr double kFreshSessionSeconds = 0.05;

std::vector<int> wanted_sessions(const std::vector<TrafficPath>& paths, int ledger_connections) {
  std::vector<int> sessions;
  for (const TrafficPath& path : paths) {
    const bool ledger = path.purpose == Purpose::ledger;
    sessions.push_back(path.session == SessionKind::fresh ? 0
                       : ledger                           ? std::max(1, ledger_connections)
                                                          : sessions_for(path.rate_hz));
  }
  return sessions;
}

int behind_one_pooler(const std::vector<TrafficPath>& paths, const std::vector<int>& sessions) {
  int shared = 0;
  double fresh_hz = 0;
  std::map<std::string, int> of_member;  // only one member's pinned paths meet at one pooler
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const TrafficPath& path = paths[i];
    if (path.depth == Depth::server) continue;
    if (path.session == SessionKind::fresh) fresh_hz += path.rate_hz;
    (path.pinned_member.empty() ? shared : of_member[path.pinned_member]) += sessions[i];
  }
  int pinned = 0;
  for (const auto& [member, count] : of_member) pinned = std::max(pinned, count);
  return shared + pinned + static_cast<int>(std::ceil(fresh_hz * kFreshSessionSeconds));
}

}  // namespace

bool pooler_holds_servers(const std::string& pool_mode) {
  return pool_mode.empty() || pool_mode == "session";
}

std::vector<int> plan_sessions(const std::vector<TrafficPath>& paths, const std::string& pool_mode,
                               int ledger_connections) {
  std::vector<int> sessions = wanted_sessions(paths, ledger_connections);
  if (!pooler_holds_servers(pool_mode)) return sessions;
  const auto widest = std::max_element(sessions.begin(), sessions.end());
  for (int most = widest == sessions.end() ? 0 : *widest;
       most > kLeastSessions && behind_one_pooler(paths, sessions) > kSessionsPerPooler - kRoomForClients;) {
    --most;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      // The ledger's streams are numbered by its connections.
      if (paths[i].purpose != Purpose::ledger) sessions[i] = std::min(sessions[i], most);
    }
  }
  return sessions;
}

int sessions_of_traffic(const std::vector<TrafficPath>& paths, const std::string& pool_mode,
                        int ledger_connections) {
  return behind_one_pooler(paths, plan_sessions(paths, pool_mode, ledger_connections));
}

}  // namespace pgfiredrill
