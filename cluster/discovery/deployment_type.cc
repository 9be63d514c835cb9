#include "cluster/discovery/deployment_type.h"

#include <algorithm>

namespace pgfiredrill {
namespace {

bool any_reached(const std::vector<HostLook>& looks) {
  return std::any_of(looks.begin(), looks.end(), [](const HostLook& look) { return look.reached; });
}

std::string dcs_type_of(const std::vector<HostLook>& looks, const InventorySettings& settings) {
  for (const HostLook& look : looks) {
    if (!look.patroni || look.patroni->dcs_type.empty()) continue;
    return look.patroni->dcs_type == "etcd3" ? "etcd" : look.patroni->dcs_type;
  }
  return settings.dcs_type;
}

std::string haproxy_evidence(const std::vector<HostLook>& looks, const InventorySettings& settings) {
  const auto hosts = std::count_if(looks.begin(), looks.end(),
                                   [](const HostLook& look) { return look.haproxy.has_value(); });
  if (hosts > 0) return "haproxy.cfg on " + std::to_string(hosts) + (hosts == 1 ? " host" : " hosts");
  // Only where no balancer could be looked at may the inventory speak for it.
  const bool looked = std::any_of(looks.begin(), looks.end(), [](const HostLook& look) {
    return look.reached && look.has(HostRole::balancer);
  });
  if (!looked && settings.with_haproxy.value_or(false)) return "the inventory's with_haproxy_load_balancing";
  return {};
}

VirtualAddress& find_or_add(std::vector<VirtualAddress>& addresses, const std::string& address,
                            const std::string& manager) {
  for (VirtualAddress& known : addresses) {
    if (known.address == address) return known;
  }
  return addresses.emplace_back(VirtualAddress{.address = address, .manager = manager});
}

}  // namespace

std::vector<VirtualAddress> find_virtual_addresses(const std::vector<HostLook>& looks,
                                                   const InventorySettings& settings) {
  std::vector<VirtualAddress> addresses;
  for (const HostLook& look : looks) {
    if (look.keepalived) {
      for (const VrrpInstance& instance : look.keepalived->instances) {
        for (const std::string& address : instance.addresses) find_or_add(addresses, address, "keepalived");
      }
    }
    if (look.vip_manager && !look.vip_manager->address.empty()) {
      find_or_add(addresses, look.vip_manager->address, "vip-manager");
    }
  }
  if (!any_reached(looks) && !settings.cluster_vip.empty()) {
    find_or_add(addresses, settings.cluster_vip,
                settings.with_haproxy.value_or(false) ? "keepalived" : "vip-manager");
  }
  for (VirtualAddress& address : addresses) {
    for (const HostLook& look : looks) {
      const auto& own = look.facts.addresses;
      if (std::find(own.begin(), own.end(), address.address) != own.end())
        address.holders.push_back(look.name());
    }
  }
  return addresses;
}

DeploymentJudgement judge_deployment(const std::vector<HostLook>& looks, const InventorySettings& settings) {
  DeploymentJudgement judgement{.dcs_type = dcs_type_of(looks, settings)};
  const std::string haproxy = haproxy_evidence(looks, settings);
  const auto addresses = find_virtual_addresses(looks, settings);

  if (!haproxy.empty()) judgement.evidence.push_back(haproxy);
  for (const VirtualAddress& address : addresses) {
    judgement.evidence.push_back(address.address + " by " + address.manager);
  }
  if (!judgement.dcs_type.empty()) judgement.evidence.push_back("consensus store " + judgement.dcs_type);

  if (judgement.dcs_type == "consul") {
    judgement.type = DeploymentType::c;
  } else if (!any_reached(looks) && !settings.with_haproxy && settings.cluster_vip.empty()) {
    judgement.evidence.emplace_back("no host was reached, and the inventory does not say");
  } else if (addresses.empty()) {
    judgement.type = DeploymentType::d;
    judgement.evidence.emplace_back("no virtual address is configured");
  } else {
    judgement.type = haproxy.empty() ? DeploymentType::b : DeploymentType::a;
  }
  return judgement;
}

}  // namespace pgfiredrill
