#include "fault-injectors/aiming.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "cluster/etcd_client.h"

namespace pgfiredrill::fault {
namespace {

using Victims = std::vector<Victim>;

Failure nobody(const std::string& target, const std::string& came_back, const std::string& hint = {}) {
  return {.kind = FailureKind::missing,
          .what = "find " + one_line(target, 80) + " to aim at",
          .came_back = came_back,
          .hint = hint};
}

bool streams(const PatroniMember& member) {
  return !is_leader_role(member.role) && (member.state == "streaming" || member.state == "running");
}

/// One look at who is what, for one choice of victims.
class Aim {
 public:
  Aim(const ClusterSnapshot& now, const Tools& tools) : now_{now}, tools_{tools} {}

  Result<Victims> choose(const std::string& target) {
    static const std::map<std::string, Result<Victims> (Aim::*)()> known{
        {kLeader, &Aim::leader},
        {kReplica, &Aim::replica},
        {kSyncStandby, &Aim::sync_standby},
        {kReplicas, &Aim::replicas},
        {kAllMembers, &Aim::all_members},
        {kTwoMembers, &Aim::two_members},
        {kEtcdLeader, &Aim::etcd_leader},
        {kEtcdFollower, &Aim::etcd_follower},
        {kEtcdQuorum, &Aim::etcd_quorum},
        {kEtcdAll, &Aim::etcd_all},
        {kBalancer, &Aim::balancer},
        {kBalancersButOne, &Aim::balancers_but_one},
        {kVipHolder, &Aim::vip_holder},
    };
    const auto found = known.find(target);
    auto victims = found == known.end() ? named(target) : (this->*found->second)();
    if (victims && victims->empty()) return nobody(target, "the cluster has none now");
    return victims;
  }

 private:
  // ---- members

  Result<Victims> leader() {
    const PatroniMember* leader = now_.leader();
    if (leader == nullptr) {
      return nobody(kLeader,
                    now_.members.empty() ? "Patroni answers nowhere" : "there is not exactly one leader",
                    "Look at `patronictl list`.");
    }
    return on_hosts({leader->name});
  }

  Result<Victims> replica() {
    const PatroniMember* chosen = nullptr;
    for (const PatroniMember& member : now_.members) {
      if (!streams(member)) continue;
      if (chosen == nullptr || (is_synchronous_role(chosen->role) && !is_synchronous_role(member.role)))
        chosen = &member;
    }
    if (chosen == nullptr) return nobody(kReplica, "no replica streams");
    return on_hosts({chosen->name});
  }

  Result<Victims> sync_standby() {
    for (const PatroniMember& member : now_.members) {
      if (is_synchronous_role(member.role)) return on_hosts({member.name});
    }
    return nobody(kSyncStandby, "Patroni tells of no synchronous standby", "Is synchronous_mode on?");
  }

  Result<Victims> replicas() {
    return members([](const PatroniMember& member) { return !is_leader_role(member.role); });
  }

  Result<Victims> all_members() {
    return members([](const PatroniMember&) { return true; });
  }

  Result<Victims> two_members() {
    const PatroniMember* leader = now_.leader();
    for (const PatroniMember& member : now_.members) {
      if (leader != nullptr && streams(member)) return on_hosts({leader->name, member.name});
    }
    return nobody(kTwoMembers, "there is no leader with a replica that streams",
                  "What stands in the consensus store is undone by two hosts.");
  }

  Result<Victims> members(const std::function<bool(const PatroniMember&)>& wanted) {
    std::vector<std::string> names;
    for (const PatroniMember& member : now_.members) {
      if (wanted(member)) names.push_back(member.name);
    }
    return on_hosts(names);
  }

  Result<Victims> on_hosts(const std::vector<std::string>& names) {
    Victims victims;
    for (const std::string& name : names) {
      const Member* known = tools_.cluster.find_member(name);
      if (known == nullptr || known->host.empty()) {
        return nobody(name, "no host of the inventory is this member's",
                      "The inventory must name every member's host.");
      }
      victims.push_back(on_host(known->host));
    }
    return victims;
  }

  // ---- consensus store

  Result<Victims> etcd_leader() {
    for (const ConsensusMember& member : tools_.cluster.consensus) {
      if (leads(member)) return on_consensus({&member});
    }
    return nobody(kEtcdLeader, "no member of the consensus store says that it leads");
  }

  Result<Victims> etcd_follower() {
    const PatroniMember* leader = now_.leader();
    const ConsensusMember* chosen = nullptr;
    for (const ConsensusMember& member : tools_.cluster.consensus) {
      if (leads(member)) continue;
      const bool beside_leader = leader != nullptr && on_host(host_of(member)).member == leader->name;
      if (chosen == nullptr || !beside_leader) chosen = &member;
      if (!beside_leader) break;
    }
    if (chosen == nullptr) return nobody(kEtcdFollower, "the consensus store has no second member");
    return on_consensus({chosen});
  }

  Result<Victims> etcd_quorum() {
    auto ordered = in_order_of_leader();
    ordered.resize((ordered.size() + 1) / 2);
    return on_consensus(ordered);
  }

  Result<Victims> etcd_all() { return on_consensus(in_order_of_leader()); }

  /// The one beside the cluster's leader last: what is left longest is the harder case for Patroni.
  [[nodiscard]] std::vector<const ConsensusMember*> in_order_of_leader() const {
    std::vector<const ConsensusMember*> ordered;
    for (const ConsensusMember& member : tools_.cluster.consensus) ordered.push_back(&member);
    const PatroniMember* leader = now_.leader();
    std::stable_partition(ordered.begin(), ordered.end(), [&](const ConsensusMember* member) {
      return leader == nullptr || on_host(host_of(*member)).member != leader->name;
    });
    return ordered;
  }

  [[nodiscard]] bool leads(const ConsensusMember& member) const {
    const auto address = parse_http_address(member.endpoint, kEtcdPort);
    if (!address) return false;
    const TlsIdentity identity{.ca_pem = tools_.cluster.access.dcs_ca_pem,
                               .certificate_pem = tools_.cluster.access.dcs_certificate_pem,
                               .key_pem = tools_.cluster.access.dcs_key_pem};
    const auto status = EtcdClient{tools_.http, *address, identity, member.name}.status();
    return status && !status->leader_id.empty() && status->leader_id == status->member_id;
  }

  [[nodiscard]] std::string host_of(const ConsensusMember& member) const {
    const auto address = parse_http_address(member.endpoint, kEtcdPort);
    if (!address) return {};
    for (const HostDescription& host : tools_.cluster.hosts) {
      if (host.address == address->host || host.bind_address == address->host || host.name == address->host)
        return host.name;
    }
    for (const Member& other : tools_.cluster.members) {
      if (other.postgres.host == address->host) return other.host;
    }
    return {};
  }

  Result<Victims> on_consensus(const std::vector<const ConsensusMember*>& chosen) {
    Victims victims;
    for (const ConsensusMember* member : chosen) {
      const std::string host = host_of(*member);
      if (host.empty()) {
        return nobody(member->name, "no host of the inventory has " + member->endpoint,
                      "The inventory must name every host of the consensus store.");
      }
      victims.push_back(on_host(host));
    }
    return victims;
  }

  // ---- balancers

  [[nodiscard]] std::vector<std::string> balancers() const {
    std::vector<std::string> hosts;
    for (const StatisticsPage& page : tools_.cluster.statistics) {
      if (std::find(hosts.begin(), hosts.end(), page.host) == hosts.end()) hosts.push_back(page.host);
    }
    return hosts;
  }

  Result<Victims> balancer() {
    Victims victims;
    if (const auto hosts = balancers(); !hosts.empty()) victims.push_back(on_host(hosts.front()));
    return victims;
  }

  Result<Victims> balancers_but_one() {
    Victims victims;
    const auto hosts = balancers();
    // The ledger goes through the first one; losing it is the point.
    for (std::size_t i = 0; i + 1 < hosts.size(); ++i) victims.push_back(on_host(hosts[i]));
    return victims;
  }

  Result<Victims> vip_holder() {
    for (const VirtualAddress& address : tools_.cluster.virtual_addresses) {
      for (const HostDescription& host : tools_.cluster.hosts) {
        const auto holds = tools_.helper.run(tools_.hosts(host.name), {"holds-address", address.address});
        if (holds && holds->exit_status == 0) return Victims{on_host(host.name)};
      }
      return nobody(kVipHolder, "no host has " + address.address + " now");
    }
    return nobody(kVipHolder, "the cluster has no virtual address");
  }

  // ---- by name

  Result<Victims> named(const std::string& name) {
    if (tools_.cluster.find_member(name) != nullptr) return on_hosts({name});
    for (const HostDescription& host : tools_.cluster.hosts) {
      if (host.name == name) return Victims{on_host(name)};
    }
    return nobody(name, "neither a member nor a host of the inventory is called that");
  }

  [[nodiscard]] Victim on_host(const std::string& host) const {
    Victim victim{.host = host};
    for (const Member& member : tools_.cluster.members) {
      if (member.host == host) victim.member = member.name;
    }
    for (const ConsensusMember& member : tools_.cluster.consensus) {
      if (!host.empty() && host_of(member) == host) victim.consensus = member.name;
    }
    return victim;
  }

  const ClusterSnapshot& now_;
  const Tools& tools_;
};

}  // namespace

Result<std::vector<Victim>> choose_victims(const std::string& target, const ClusterSnapshot& now,
                                           const Tools& tools) {
  return Aim{now, tools}.choose(target);
}

std::string names_of(const std::vector<Victim>& victims) {
  std::vector<std::string> names;
  for (const Victim& victim : victims) names.push_back(victim.member.empty() ? victim.host : victim.member);
  return join(names, ", ");
}

}  // namespace pgfiredrill::fault
