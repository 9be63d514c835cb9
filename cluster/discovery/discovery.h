#pragma once

/// Completes a cluster's description from what is deployed and what is alive: files over SSH, then Patroni,
/// etcd, HAProxy, PgBouncer, PostgreSQL and pgBackRest. Changes nothing anywhere.
///
/// Whatever cannot be reached becomes a `NotReached` of the description and the rest goes on: this never
/// fails as a whole. Called on main; works on threads of its own, one for each host and kind of client, all
/// joined at the end.

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/host.h"
#include "base/http.h"
#include "base/log.h"
#include "cluster/sql_access.h"

namespace pgfiredrill {

/// The seams that discovery works through; all must outlive the call.
struct DiscoverySeams {
  HttpClient& http;
  SqlAccess& sql;
  Clock& clock;
  Log& log;
  std::function<std::unique_ptr<Host>(const HostDescription&)> make_host;
};

struct DiscoveryOptions {
  /// PEM text of the authority that signs Patroni's certificates; empty: the file that patroni.yml names on
  /// each host.
  std::string patroni_ca_pem;
  std::chrono::milliseconds ssh_deadline{8'000};
  std::chrono::milliseconds http_deadline{3'000};
};

[[nodiscard]] ClusterDescription discover(const ClusterSeed& seed, const DiscoverySeams& seams,
                                          const DiscoveryOptions& options);

}  // namespace pgfiredrill
