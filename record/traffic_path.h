#pragma once

/// One way that traffic takes: entry point × depth × access × session.

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cluster_description.h"

namespace pgfiredrill {

enum class Depth : std::uint8_t { balancer, pooler, server };
enum class Access : std::uint8_t { read_write, read_only };
enum class SessionKind : std::uint8_t { fresh, pooled };
/// `ledger` paths carry the uniquely numbered writes: judged by durability, not by windows. `heartbeat` paths
/// write the number that reads on replicas look for: judged by replica lag.
enum class Purpose : std::uint8_t { canary, ledger, heartbeat };

[[nodiscard]] const char* to_string(Depth depth) noexcept;
[[nodiscard]] const char* to_string(Access access) noexcept;
[[nodiscard]] const char* to_string(SessionKind session) noexcept;
[[nodiscard]] const char* to_string(Purpose purpose) noexcept;

struct TrafficPath {
  std::string id;                   ///< `pg1:5000/read_write/fresh`: unique in a run, stable between runs
  std::string entrypoint;           ///< `pg1:5000`, `vip:5000`, `list:5000`, `list:5000+tsa`
  std::vector<Endpoint> addresses;  ///< tried in this order; more than one for a multi-host list
  /// libpq's target_session_attrs for each address: "any" or "read-write".
  std::string target_session_attrs = "any";
  Depth depth = Depth::balancer;
  Access access = Access::read_write;
  SessionKind session = SessionKind::pooled;
  Purpose purpose = Purpose::canary;
  std::string pinned_member;  ///< the one Patroni member that can answer here; empty where routing decides
  double rate_hz = 0;
  double write_rate_hz = 0;             ///< of `rate_hz`; the other operations read
  nanoseconds deadline{1'000'000'000};  ///< of an operation, from its due time
  int servers_behind = 1;               ///< server lines of the listener, or members of the list
  /// False: trouble here before the fault is a finding and no obstacle (multi-host lists with poolers that
  /// remember an old role).
  bool needed_for_steady_state = true;

  [[nodiscard]] nanoseconds interval() const {
    return nanoseconds{static_cast<nanoseconds::rep>(1e9 / (rate_hz > 0 ? rate_hz : 1))};
  }
};

}  // namespace pgfiredrill
