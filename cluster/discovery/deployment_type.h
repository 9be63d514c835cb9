#pragma once

/// Which of autobase's schemes a cluster is, from what is deployed. Pure.

#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "cluster/discovery/host_look.h"

namespace pgfiredrill {

struct DeploymentJudgement {
  DeploymentType type = DeploymentType::unknown;
  std::vector<std::string> evidence;  ///< what was seen, a sentence each
  std::string dcs_type;
};

/// From files where a host was reached, else from the inventory's variables; `unknown` where neither says
/// enough.
[[nodiscard]] DeploymentJudgement judge_deployment(const std::vector<HostLook>& looks,
                                                   const InventorySettings& settings);

/// Virtual addresses by keepalived.conf and vip-manager.yml, and which hosts have them now.
[[nodiscard]] std::vector<VirtualAddress> find_virtual_addresses(const std::vector<HostLook>& looks,
                                                                 const InventorySettings& settings);

}  // namespace pgfiredrill
