#pragma once

/// Services by the words of a drill: what the helper calls them on a host, what it means to hit them, and how
/// the cluster shows that one is down.

#include <string>
#include <vector>

#include "fault-injectors/aiming.h"
#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

inline constexpr const char* kService = "service";  ///< the option's name
inline constexpr const char* kPostmaster = "postmaster";
inline constexpr const char* kPostgresql = "postgresql";
inline constexpr const char* kPatroni = "patroni";
inline constexpr const char* kPgbouncer = "pgbouncer";
inline constexpr const char* kHaproxy = "haproxy";
inline constexpr const char* kKeepalived = "keepalived";
inline constexpr const char* kEtcd = "etcd";

/// As the helper is told.
struct HostService {
  std::string name;            ///< `etcd`, `pgbouncer-2`
  std::string data_directory;  ///< of `postmaster` and `postgresql`; else empty
};

/// What runs of a service on the victim's host: one, but of PgBouncer as many as there are processes. Whether
/// it does run is for the helper to see. Blocking; worker threads.
[[nodiscard]] Result<std::vector<HostService>> services_on(const std::string& service, const Victim& victim,
                                                           const Tools& tools);

/// The cluster shows that the service does not work on the victim; took, without a sentence, where nothing in
/// the cluster can show it. Blocking: asks Patroni's REST.
[[nodiscard]] Evidence shows_down(const std::string& service, const Victim& victim,
                                  const ClusterSnapshot& now, const Tools& tools);
/// Patroni's REST of that victim gives us no answer.
[[nodiscard]] Evidence rest_is_silent(const Victim& victim, const Tools& tools);
/// No PostgreSQL of that victim answers.
[[nodiscard]] Evidence postgresql_is_silent(const Victim& victim, const ClusterSnapshot& now);

/// Of taking a service away from such a target for as long as the leader's key lives.
[[nodiscard]] Danger danger_of_losing(const std::string& service, const std::string& target);
/// A host or member by its name may lead, and so may the one that has the address or the store's leader.
[[nodiscard]] bool may_be_the_leader(const std::string& target);
[[nodiscard]] Danger danger_for_leaders(const FaultSpec& spec);

}  // namespace pgfiredrill::fault
