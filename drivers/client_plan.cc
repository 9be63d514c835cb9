#include "drivers/client_plan.h"

#include <algorithm>
#include <array>

#include "drivers/session_plan.h"
#include "drivers/statements.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;

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

int allowed(const std::vector<TrafficPath>& paths, const std::string& pool_mode, int ledger_connections) {
  const int most = static_cast<int>(kWanted.size() * paths.size());
  if (!pooler_holds_servers(pool_mode)) return most;
  return std::clamp(kSessionsPerPooler - sessions_of_traffic(paths, pool_mode, ledger_connections), 0, most);
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
