#pragma once

/// How the superuser of a cluster logs in to one member's own PostgreSQL: over its Unix socket, led here by
/// SSH, so that neither hba rules for our machine nor the network between matter.

#include <memory>
#include <string>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/host.h"
#include "cluster/connect_parameters.h"

namespace pgfiredrill {

/// Where to log in, and the forwarded socket that this needs: it is gone with the object, sessions that stand
/// are too.
struct SuperuserRoute {
  ConnectParameters parameters;
  std::unique_ptr<ForwardedSocket> socket;  ///< null where the member has no Unix socket: then by TCP
};

/// Fails where no superuser is known or SSH does not lead there. Blocking; worker threads only.
[[nodiscard]] Result<SuperuserRoute> open_superuser_route(const ClusterDescription& cluster,
                                                          const Member& member, Host& host);

}  // namespace pgfiredrill
