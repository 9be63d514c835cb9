#include "cluster/discovery/discovery.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "cluster/discovery/deployment_type.h"
#include "cluster/discovery/entry_points.h"
#include "cluster/discovery/failover_settings.h"
#include "cluster/discovery/host_look.h"
#include "cluster/discovery/service_look.h"
#include "cluster/discovery/task_group.h"

namespace pgfiredrill {
namespace {

std::vector<HostLook> look_at_hosts(const ClusterSeed& seed, const DiscoverySeams& seams,
                                    const DiscoveryOptions& options) {
  std::vector<HostLook> looks(seed.hosts.size());
  TaskGroup tasks;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    looks[i].description = seed.hosts[i];
    looks[i].host = seams.make_host(seed.hosts[i]);
    tasks.start([&look = looks[i], &options] { look_at_host(look, options.ssh_deadline); });
  }
  tasks.wait();
  return looks;
}

/// The inventory name of the host that a member runs on.
std::string host_of_member(const PatroniMember& member, const std::vector<HostLook>& looks) {
  for (const HostLook& look : looks) {
    const bool named = look.patroni
                           ? look.patroni->name == member.name
                           : !look.description.hostname.empty() && look.description.hostname == member.name;
    if (named || look.service_address() == member.host) return look.name();
  }
  return {};
}

const PatroniNode* node_of(const Member& member, const ServiceLook& services) {
  // With an inventory nodes are keyed by host, without one by member.
  for (const std::string& key : {member.host, member.name}) {
    const auto found = services.nodes.find(key);
    if (found != services.nodes.end()) return &found->second;
  }
  return nullptr;
}

Member describe_member(const PatroniMember& seen, const std::vector<HostLook>& looks,
                       const ServiceLook& services) {
  Member member{.name = seen.name,
                .host = host_of_member(seen, looks),
                .postgres = {seen.host, seen.port},
                .api_url = seen.api_url,
                .role = seen.role,
                .state = seen.state,
                .timeline = seen.timeline,
                .lag_bytes = seen.lag_bytes,
                .pending_restart = seen.pending_restart,
                .tags = seen.tags};
  if (const PatroniNode* node = node_of(member, services)) {
    member.postgres_version = postgres_version_text(node->server_version);
    member.patroni_version = node->patroni_version;
    member.pending_restart = member.pending_restart || node->pending_restart;
  }
  const auto server = services.servers.find(member.host);
  if (server != services.servers.end()) member.in_recovery = server->second.server.in_recovery;
  for (const HostLook& look : looks) {
    if (look.name() != member.host || !look.patroni) continue;
    member.data_directory = look.patroni->data_directory;
    member.socket_directory = look.patroni->unix_socket_directory;
  }
  return member;
}

void describe_members(ClusterDescription& description, const std::vector<HostLook>& looks,
                      const ServiceLook& services) {
  if (!services.cluster) return;
  for (const PatroniMember& member : services.cluster->members) {
    description.members.push_back(describe_member(member, looks, services));
  }
}

void describe_statistics(ClusterDescription& description, const std::vector<HostLook>& looks) {
  for (const HostLook& look : looks) {
    if (const auto page = statistics_page(look)) description.statistics.push_back(*page);
  }
}

void describe_history(ClusterDescription& description, const ServiceLook& services) {
  for (const PatroniHistoryEntry& entry : services.history) {
    description.history.push_back({entry.timeline, entry.timestamp, entry.new_leader, entry.reason});
  }
}

std::string cluster_name(const ClusterSeed& seed, const std::vector<HostLook>& looks,
                         const ServiceLook& services) {
  for (const HostLook& look : looks) {
    if (look.patroni) return look.patroni->scope;
  }
  if (services.cluster && !services.cluster->scope.empty()) return services.cluster->scope;
  for (const auto& [host, node] : services.nodes) {
    if (!node.scope.empty()) return node.scope;
  }
  return seed.settings.cluster_name;
}

void describe_versions(ClusterDescription& description, const std::vector<HostLook>& looks,
                       const ServiceLook& services) {
  const auto add = [&](const std::string& host, const std::string& component, const std::string& version) {
    if (!version.empty()) description.versions.push_back({host, component, version});
  };
  for (const Member& member : description.members) {
    const std::string& host = member.host.empty() ? member.name : member.host;
    add(host, "postgresql", member.postgres_version);
    add(host, "patroni", member.patroni_version);
  }
  for (const PoolerLook& pooler : services.poolers) add(pooler.host, "pgbouncer", pooler.answer.version);
  for (const HostLook& look : looks) {
    for (const auto& [component, version] : look.facts.versions) add(look.name(), component, version);
  }
  for (const ConsensusMember& member : services.consensus) add(member.name, "etcd", member.version);
}

void remark_on_views(std::vector<std::string>& remarks, const ServiceLook& services) {
  std::set<std::string> distinct;
  std::string views;
  for (const auto& [host, leader] : services.leaders) {
    distinct.insert(leader);
    views += (views.empty() ? "" : ", ") + host + " says " + (leader.empty() ? "nobody" : leader);
  }
  if (distinct.size() > 1) remarks.push_back("Patroni's nodes do not agree on who leads: " + views + ".");
}

/// What the readers of files passed over, so that nobody takes a description for more than it is.
void remark_on_files(std::vector<std::string>& remarks, const std::vector<HostLook>& looks) {
  for (const HostLook& look : looks) {
    const auto add = [&](const std::string& file, const std::vector<std::string>& sentences) {
      for (const std::string& sentence : sentences)
        remarks.push_back(look.name() + ", " + file + ": " + sentence);
    };
    if (look.haproxy) add("haproxy.cfg", look.haproxy->remarks);
    if (look.keepalived) add("keepalived.conf", look.keepalived->remarks);
    for (const PoolerFile& pooler : look.poolers) add(pooler.path, pooler.ini.remarks);
  }
}

/// Only what systemd calls failed: a unit that is merely inactive may not belong to this deployment.
void remark_on_units(std::vector<std::string>& remarks, const std::vector<HostLook>& looks) {
  for (const HostLook& look : looks) {
    for (const auto& [unit, state] : look.facts.units) {
      if (state == "failed") remarks.push_back(look.name() + ": the unit " + unit + " has failed.");
    }
  }
}

/// Odd things that are no obstacle but that a person should know.
void remark(ClusterDescription& description, const ClusterSeed& seed, const std::vector<HostLook>& looks,
            const ServiceLook& services) {
  description.remarks = seed.remarks;
  auto& remarks = description.remarks;
  if (services.cluster && services.cluster->paused) {
    remarks.emplace_back("Patroni is paused: there will be no automatic failover.");
  }
  if (services.cluster && services.cluster->switchover_scheduled) {
    remarks.emplace_back("A switchover is scheduled.");
  }
  if (services.config && services.config->standby_cluster) {
    remarks.emplace_back(
        "This is a standby cluster: its leader follows another cluster and takes no writes.");
  }
  remark_on_views(remarks, services);
  remark_on_files(remarks, looks);
  remark_on_units(remarks, looks);
  for (const HostDescription& host : description.hosts) {
    if (!host.inventory_master) continue;
    for (const Member& member : description.members) {
      if (member.leads() && !member.host.empty() && member.host != host.name) {
        remarks.push_back("The inventory's group master names " + host.name + ", but " + member.name +
                          " on " + member.host + " leads now; roles are taken from Patroni.");
      }
    }
  }
  for (const VirtualAddress& address : description.virtual_addresses) {
    if (address.holders.size() == 1) continue;
    remarks.push_back("The virtual address " + address.address + " is held by " +
                      (address.holders.empty() ? std::string{"no host that was looked at."}
                                               : std::to_string(address.holders.size()) + " hosts at once."));
  }
}

std::string system_identifier(const ServiceLook& services) {
  return services.nodes.empty() ? std::string{} : services.nodes.begin()->second.system_identifier;
}

void append(std::vector<NotReached>& target, const std::vector<NotReached>& more) {
  target.insert(target.end(), more.begin(), more.end());
}

/// The threads' order is chance: a person and a comparison want it fixed.
void put_in_order(ClusterDescription& description) {
  const auto rank = [&](const std::string& host) {
    const auto& hosts = description.hosts;
    return std::find_if(hosts.begin(), hosts.end(), [&](const auto& known) { return known.name == host; }) -
           hosts.begin();
  };
  std::stable_sort(
      description.not_reached.begin(), description.not_reached.end(),
      [&](const NotReached& a, const NotReached& b) {
        return std::tuple{rank(a.host), a.host, a.topic} < std::tuple{rank(b.host), b.host, b.topic};
      });
  std::sort(description.consensus.begin(), description.consensus.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::sort(
      description.repositories.begin(), description.repositories.end(),
      [](const auto& a, const auto& b) { return std::tie(a.stanza, a.key) < std::tie(b.stanza, b.key); });
  std::stable_sort(description.members.begin(), description.members.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  std::stable_sort(description.versions.begin(), description.versions.end(),
                   [&](const auto& a, const auto& b) { return a.component < b.component; });
}

ClusterDescription discover_by_inventory(const ClusterSeed& seed, const DiscoverySeams& seams,
                                         const DiscoveryOptions& options) {
  const std::vector<HostLook> looks = look_at_hosts(seed, seams, options);
  seams.log.debug("read what is deployed");
  const ServiceLook services = look_at_services(looks, seed.settings, seams, options);
  seams.log.debug("asked the services");

  ClusterDescription description{.source = seed.source,
                                 .name = cluster_name(seed, looks, services),
                                 .system_identifier = system_identifier(services),
                                 .hosts = seed.hosts};
  const DeploymentJudgement deployment = judge_deployment(looks, seed.settings);
  description.type = deployment.type;
  description.type_evidence = deployment.evidence;
  description.dcs_type = deployment.dcs_type;
  description.virtual_addresses = find_virtual_addresses(looks, seed.settings);
  describe_members(description, looks, services);
  describe_history(description, services);
  describe_statistics(description, looks);
  description.access = access_of(looks);
  describe_versions(description, looks, services);
  description.repositories = services.repositories;
  description.consensus = services.consensus;
  description.settings = gather_settings(looks, services);
  for (const HostLook& look : looks) append(description.not_reached, look.not_reached);
  append(description.not_reached, services.not_reached);

  description.entry_points = find_entry_points(looks, services, description.virtual_addresses);
  try_entry_points(description.entry_points, looks, services, seams.sql, description.not_reached);
  remark(description, seed, looks, services);
  return description;
}

ClusterDescription discover_by_patroni(const ClusterSeed& seed, const DiscoverySeams& seams,
                                       const DiscoveryOptions& options) {
  ClusterDescription description{.source = seed.source};
  const auto address = parse_http_address(seed.patroni_url, kPatroniPort);
  if (!address) {
    description.not_reached.push_back({"", "patroni", address.error()});
    return description;
  }
  const ServiceLook services = look_at_patroni(*address, seams, options);
  description.name = cluster_name(seed, {}, services);
  description.system_identifier = system_identifier(services);
  description.not_reached = services.not_reached;
  describe_members(description, {}, services);
  describe_history(description, services);
  describe_versions(description, {}, services);
  description.settings = gather_settings({}, services);
  remark(description, seed, {}, services);
  description.remarks.emplace_back(
      "Only Patroni's REST interface was asked: entry points, poolers, repositories and what is deployed "
      "need an "
      "inventory (-i).");
  return description;
}

}  // namespace

ClusterDescription discover(const ClusterSeed& seed, const DiscoverySeams& seams,
                            const DiscoveryOptions& options) {
  const auto started = seams.clock.monotonic();
  ClusterDescription description = seed.patroni_url.empty() ? discover_by_inventory(seed, seams, options)
                                                            : discover_by_patroni(seed, seams, options);
  put_in_order(description);
  description.took = std::chrono::duration_cast<std::chrono::milliseconds>(seams.clock.monotonic() - started);
  return description;
}

}  // namespace pgfiredrill
