#pragma once

/// What clients connect to, from the deployed files, and who really answers there.

#include <vector>

#include "base/cluster_description.h"
#include "cluster/discovery/host_look.h"
#include "cluster/discovery/service_look.h"

namespace pgfiredrill {

/// Every balancer's and virtual address's listener, every pooler and every server, each address once. Pure.
[[nodiscard]] std::vector<EntryPoint> find_entry_points(const std::vector<HostLook>& looks,
                                                        const ServiceLook& services,
                                                        const std::vector<VirtualAddress>& virtual_addresses);

/// How many logins `try_entry_points` has under way at a time: what their times must be read with. A login
/// costs either side several milliseconds of CPU: more at once would only measure one another.
inline constexpr std::size_t kLoginsAtOnce = 4;

/// Logs in through each, a few at a time, and asks who is there; failures go to `not_reached`. A listener
/// behind which its own balancer sees no server is not tried: it is empty by design (synchronous replicas
/// without synchronous mode), or the balancer's view already says what is wrong.
void try_entry_points(std::vector<EntryPoint>& entry_points, const std::vector<HostLook>& looks,
                      const ServiceLook& services, SqlAccess& sql, std::vector<NotReached>& not_reached);

/// This is what `try_entry_points` says of the login through that one.
[[nodiscard]] bool is_login_through(const NotReached& missing, const EntryPoint& point);

/// A server's own port that the network does not lead to from here, as where only balancers and poolers are
/// open to clients: it can be asked through SSH, and no traffic of clients goes there. Pure.
[[nodiscard]] bool is_walled_off(const ClusterDescription& cluster, const EntryPoint& point);

}  // namespace pgfiredrill
