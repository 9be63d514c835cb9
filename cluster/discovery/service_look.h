#pragma once

/// The second step of discovery: what the services say of themselves, all asked at the same time.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "cluster/discovery/discovery.h"
#include "cluster/discovery/host_look.h"
#include "cluster/haproxy_stats.h"
#include "cluster/patroni_rest.h"
#include "cluster/sql_access.h"

namespace pgfiredrill {

/// One PgBouncer process that answered on its console.
struct PoolerLook {
  std::string host;
  std::string path;  ///< of its file
  PoolerAnswer answer;
};

/// All maps are keyed by the host's inventory name.
struct ServiceLook {
  std::map<std::string, PatroniNode> nodes;
  std::optional<PatroniCluster> cluster;
  std::optional<PatroniConfig> config;
  std::vector<PatroniHistoryEntry> history;
  std::string cluster_source;                  ///< host that answered the three above
  std::map<std::string, std::string> leaders;  ///< who leads, by each host's own view; empty: nobody
  std::map<std::string, std::vector<HaproxyStatsRow>> balancers;
  std::vector<ConsensusMember> consensus;
  std::vector<PoolerLook> poolers;
  std::map<std::string, LoginAnswer> servers;
  std::map<std::string, std::map<std::string, std::string>> server_settings;
  std::vector<Repository> repositories;
  std::vector<NotReached> not_reached;
};

/// Users, passwords and certificates by the first patroni.yml that could be read; empty where none could.
[[nodiscard]] ClusterAccess access_of(const std::vector<HostLook>& looks);

/// Where a host's REST interface is: by patroni.yml, else by the inventory.
[[nodiscard]] HttpAddress rest_address(const HostLook& look, const InventorySettings& settings);

/// Where a host's HAProxy shows its statistics, by its file; absent where it shows none.
[[nodiscard]] std::optional<StatisticsPage> statistics_page(const HostLook& look);

/// Blocks until every service has answered or its deadline has passed.
[[nodiscard]] ServiceLook look_at_services(const std::vector<HostLook>& looks,
                                           const InventorySettings& settings, const DiscoverySeams& seams,
                                           const DiscoveryOptions& options);

/// Only Patroni's REST, from one address on: every member that `/cluster` names is asked too.
[[nodiscard]] ServiceLook look_at_patroni(const HttpAddress& address, const DiscoverySeams& seams,
                                          const DiscoveryOptions& options);

}  // namespace pgfiredrill
