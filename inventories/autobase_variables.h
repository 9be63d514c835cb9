#pragma once

/// What autobase's groups and variables, and Ansible's own connection variables, say about hosts and cluster.

#include <set>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "inventories/inventory_listing.h"

namespace pgfiredrill {

/// Every variable that is read here.
[[nodiscard]] const VariableForms& used_variables();

/// Groups whose hosts are part of the cluster; all others are none of our business.
[[nodiscard]] const std::vector<std::string>& cluster_groups();

/// The hosts of those groups with their roles, names and nothing else, in the inventory's order.
[[nodiscard]] std::vector<HostDescription> hosts_by_role(const InventoryListing& listing);

/// Fills a host from its variables. Fails `malformed` where a name, address or user could be taken for an
/// option or does not fit on a command line, or the address could not be rendered.
[[nodiscard]] Result<void> describe_host(const HostVariables& variables, HostDescription& host,
                                         std::vector<std::string>& remarks);

/// The cluster's settings: each from the first host that has it, hosts in the order given.
[[nodiscard]] InventorySettings read_settings(const std::vector<HostDescription>& hosts,
                                              const InventoryListing& listing,
                                              std::vector<std::string>& remarks);

/// Fails `malformed` where a host's name is not fit to be one.
[[nodiscard]] Result<void> check_name(const std::string& name);

}  // namespace pgfiredrill
