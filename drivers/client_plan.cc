#include "drivers/client_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "drivers/pooled_lane.h"
#include "drivers/statements.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;

/// What one pooler may be asked to hold for us: its pool is the applications'.
constexpr int kSessionsPerPooler = 60;

/// In the order in which they are left out last.
struct Wanted {
  ClientKind kind;
  nanoseconds wakes_after;
};
constexpr std::array kWanted{Wanted{ClientKind::idle, seconds{1}},
                             Wanted{ClientKind::in_transaction, seconds{0}},
                             Wanted{ClientKind::long_query, seconds{0}}, Wanted{ClientKind::idle, seconds{5}},
                             Wanted{ClientKind::idle, seconds{15}}};

bool is_entry_point_for_writes(const TrafficPath& path) {
  return path.purpose == Purpose::canary && path.session == SessionKind::pooled &&
         path.access == Access::read_write && path.addresses.size() == 1;
}

/// How long a fresh session stands, login and all.
constexpr double kFreshSessionSeconds = 0.05;

int kept_sessions(const TrafficPath& path, int ledger_connections) {
  if (path.session == SessionKind::fresh) return 0;
  return path.purpose == Purpose::ledger ? ledger_connections : sessions_for(path.rate_hz);
}

int allowed(const std::vector<TrafficPath>& paths, const std::string& pool_mode, int ledger_connections) {
  const bool held = pool_mode.empty() || pool_mode == "session";
  const int most = static_cast<int>(kWanted.size() * paths.size());
  if (!held) return most;
  return std::clamp(kSessionsPerPooler - sessions_of_traffic(paths, ledger_connections), 0, most);
}

}  // namespace

const char* to_string(ClientKind kind) noexcept {
  switch (kind) {
    case ClientKind::idle:
      return "idle";
    case ClientKind::in_transaction:
      return "in_transaction";
    case ClientKind::long_query:
      return "long_query";
  }
  return "idle";
}

int sessions_of_traffic(const std::vector<TrafficPath>& paths, int ledger_connections) {
  int shared = 0;
  double fresh_hz = 0;
  std::map<std::string, int> of_member;  // only one member's pinned paths meet at one pooler
  for (const TrafficPath& path : paths) {
    if (path.depth == Depth::server) continue;
    if (path.session == SessionKind::fresh) fresh_hz += path.rate_hz;
    const int sessions = kept_sessions(path, ledger_connections);
    if (path.pinned_member.empty()) {
      shared += sessions;
    } else {
      of_member[path.pinned_member] += sessions;
    }
  }
  int pinned = 0;
  for (const auto& [member, sessions] : of_member) pinned = std::max(pinned, sessions);
  return shared + pinned + static_cast<int>(std::ceil(fresh_hz * kFreshSessionSeconds));
}

std::size_t lanes_for(const std::vector<ClientSpec>& clients) {
  return (clients.size() + kRowsPerLane - 1) / kRowsPerLane;
}

std::vector<ClientSpec> plan_clients(const std::vector<TrafficPath>& paths, const std::string& pool_mode,
                                     int ledger_connections) {
  std::vector<ClientSpec> clients;
  const auto most = static_cast<std::size_t>(allowed(paths, pool_mode, ledger_connections));
  const std::uint64_t first_row = paths.size() * kRowsPerLane;
  for (const auto& [kind, wakes_after] : kWanted) {
    for (const TrafficPath& path : paths) {
      if (!is_entry_point_for_writes(path) || clients.size() >= most) continue;
      clients.push_back(
          {.kind = kind, .path = path, .row = first_row + clients.size(), .wakes_after = wakes_after});
    }
  }
  return clients;
}

}  // namespace pgfiredrill
