#include "fault-injectors/cut_entries.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "cluster/etcd_client.h"
#include "cluster/patroni_rest.h"
#include "fault-injectors/addresses.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

using Entries = std::vector<std::string>;
using Ports = std::set<int>;

constexpr int kEtcdPeerPort = 2380;
constexpr int kSshPort = 22;
constexpr int kHttpsPort = 443;
/// The helper takes no more.
constexpr std::size_t kMostEntries = 200;
/// VRRP is sent to a group, not to the peers.
constexpr const char* kVrrpGroup = "224.0.0.18";

Failure nothing_to_cut(const std::string& from, const std::string& host, const std::string& came_back,
                       const std::string& hint) {
  return {.kind = FailureKind::missing,
          .what = "find what to cut off from " + from,
          .where = host,
          .came_back = came_back,
          .hint = hint};
}

class Cut {
 public:
  Cut(const Victim& victim, const Tools& tools) : victim_{victim}, tools_{tools}, cluster_{tools.cluster} {}

  Result<Entries> from(const std::string& whom) {
    static const std::map<std::string, Result<void> (Cut::*)()> known{
        {kFromPeers, &Cut::peers},
        {kFromConsensus, &Cut::consensus},
        {kFromBalancers, &Cut::balancers},
        {kFromTester, &Cut::tester},
        {kFromRepository1, &Cut::repository1},
        {kFromRepository2, &Cut::repository2},
        {kFromPatroni, &Cut::patroni},
    };
    const auto found = known.find(whom);
    if (found == known.end()) return nothing_to_cut(whom, victim_.host, "that is no one", {});
    if (const auto listed = (this->*found->second)(); !listed) return listed.error();
    if (entries_.empty()) {
      return nothing_to_cut(whom, victim_.host, "the cluster has none",
                            "Look at `pgfiredrill inspect`: what is found there is what can be cut.");
    }
    if (entries_.size() > kMostEntries) {
      return nothing_to_cut(whom, victim_.host, std::to_string(entries_.size()) + " of them are too many",
                            "Cut a smaller part.");
    }
    return Entries{entries_.begin(), entries_.end()};
  }

 private:
  // ---- from whom

  /// Both ways: their services for us, ours for them.
  Result<void> peers() {
    const Ports ours = member_ports(victim_.host);
    for (const Member& member : cluster_.members) {
      if (member.host.empty() || member.host == victim_.host) continue;
      const auto addresses = addresses_of(cluster_, member.host);
      if (!addresses) return addresses.error();
      for (const std::string& address : *addresses) {
        add("remote", address, member_ports(member.host));
        add("local", address, ours);
        if (has_keepalived()) entries_.insert("vrrp/" + address);
      }
    }
    if (has_keepalived() && !entries_.empty()) entries_.insert(std::string{"vrrp/"} + kVrrpGroup);
    return {};
  }

  /// The host's own member of the store too, by every address: clients go there first. That member itself
  /// stays in touch with the others.
  Result<void> consensus() {
    for (const ConsensusMember& member : cluster_.consensus) {
      const auto endpoint = parse_http_address(member.endpoint, kEtcdPort);
      if (!endpoint) return endpoint.error();
      const auto addresses = resolve_on(tools_.hosts(victim_.host), endpoint->host);
      if (!addresses) return addresses.error();
      for (const std::string& address : *addresses) add("remote", address, {endpoint->port});
      for (const char* own : {"127.0.0.1", "::1"}) add("remote", own, {endpoint->port});
    }
    if (cluster_.consensus.empty()) return {};
    const auto own = addresses_of(cluster_, victim_.host);
    if (!own) return own.error();
    for (const std::string& address : *own) add("remote", address, {kEtcdPort});
    return {};
  }

  Result<void> balancers() { return add_balancers(server_ports(victim_.host)); }

  Result<void> tester() { return add_tester(client_ports(victim_.host)); }

  Result<void> patroni() {
    const Ports rest = rest_port(victim_.host);
    if (const auto listed = add_balancers(rest); !listed) return listed;
    for (const Member& member : cluster_.members) {
      if (member.host.empty() || member.host == victim_.host) continue;
      const auto addresses = addresses_of(cluster_, member.host);
      if (!addresses) return addresses.error();
      for (const std::string& address : *addresses) add("local", address, rest);
    }
    return add_tester(rest);
  }

  Result<void> repository1() { return repository(1); }
  Result<void> repository2() { return repository(2); }

  // ---- parts of it

  Result<void> add_balancers(const Ports& ports) {
    for (const StatisticsPage& page : cluster_.statistics) {
      const auto addresses = addresses_of(cluster_, page.host);
      if (!addresses) return addresses.error();
      for (const std::string& address : *addresses) add("local", address, ports);
    }
    return {};
  }

  /// By the route from here: what the victim sees where no address is translated in between. The cluster
  /// shows whether it was so.
  Result<void> add_tester(const Ports& ports) {
    const auto addresses = addresses_of(cluster_, victim_.host);
    if (!addresses) return addresses.error();
    for (const std::string& address : *addresses) {
      const auto own = own_address_towards(address);
      if (!own) return own.error();
      add("local", *own, ports);
    }
    return {};
  }

  Result<void> repository(int key) {
    const std::string name = "repository " + std::to_string(key);
    const auto found = std::find_if(cluster_.repositories.begin(), cluster_.repositories.end(),
                                    [&](const Repository& repository) { return repository.key == key; });
    if (found == cluster_.repositories.end())
      return nothing_to_cut(name, victim_.host, "pgBackRest has none of that number", {});
    const std::size_t at = found->location.rfind(" at ");
    if (at == std::string::npos) {
      return nothing_to_cut(name, victim_.host, "no endpoint is known of " + one_line(found->location, 120),
                            "A folder has none, and a repository's host may be reached by SSH only, which is "
                            "never cut.");
    }
    const auto endpoint = parse_endpoint(found->location.substr(at + 4));
    if (!endpoint) return endpoint.error();
    const auto addresses = resolve_on(tools_.hosts(victim_.host), endpoint->host);
    if (!addresses) return addresses.error();
    for (const std::string& address : *addresses) add("remote", address, {endpoint->port});
    return {};
  }

  /// With or without a scheme, as pgBackRest takes it.
  static Result<HttpAddress> parse_endpoint(const std::string& text) {
    const bool has_scheme = text.find("://") != std::string::npos;
    return parse_http_address(has_scheme ? text : "https://" + text, kHttpsPort);
  }

  // ---- ports

  [[nodiscard]] const Member* member_on(const std::string& host) const {
    const auto found = std::find_if(cluster_.members.begin(), cluster_.members.end(),
                                    [&](const Member& member) { return member.host == host; });
    return found == cluster_.members.end() ? nullptr : &*found;
  }

  [[nodiscard]] Ports rest_port(const std::string& host) const {
    const Member* member = member_on(host);
    if (member == nullptr) return {};
    const auto address = parse_http_address(member->api_url, kPatroniPort);
    return {address ? address->port : kPatroniPort};
  }

  /// PostgreSQL, Patroni's REST and the poolers: what balancers and other members ask.
  [[nodiscard]] Ports server_ports(const std::string& host) const {
    Ports ports = rest_port(host);
    const Member* member = member_on(host);
    if (member != nullptr && member->postgres.port > 0) ports.insert(member->postgres.port);
    for (const EntryPoint& point : cluster_.entry_points) {
      if (point.host == host && point.kind == EntryPointKind::pooler) ports.insert(point.address.port);
    }
    return ports;
  }

  /// The balancer's listeners too; those of a virtual address may be here now.
  [[nodiscard]] Ports client_ports(const std::string& host) const {
    Ports ports = server_ports(host);
    for (const EntryPoint& point : cluster_.entry_points) {
      if ((point.host == host || point.host.empty()) && point.address.port > 0)
        ports.insert(point.address.port);
    }
    return ports;
  }

  [[nodiscard]] Ports member_ports(const std::string& host) const {
    Ports ports = server_ports(host);
    for (const ConsensusMember& member : cluster_.consensus) {
      const auto endpoint = parse_http_address(member.endpoint, kEtcdPort);
      if (endpoint && has_address(host, endpoint->host)) ports.insert({endpoint->port, kEtcdPeerPort});
    }
    return ports;
  }

  [[nodiscard]] bool has_address(const std::string& host, const std::string& address) const {
    const auto own = addresses_of(cluster_, host);
    return host == address || (own && std::find(own->begin(), own->end(), address) != own->end());
  }

  [[nodiscard]] bool has_keepalived() const {
    const auto& all = cluster_.virtual_addresses;
    return std::any_of(all.begin(), all.end(),
                       [](const VirtualAddress& address) { return address.manager == kKeepalived; });
  }

  void add(const std::string& kind, const std::string& address, const Ports& ports) {
    for (const int port : ports) {
      if (port != kSshPort) entries_.insert(kind + "/tcp/" + address + "/" + std::to_string(port));
    }
  }

  const Victim& victim_;
  const Tools& tools_;
  const ClusterDescription& cluster_;
  std::set<std::string> entries_;
};

}  // namespace

Result<std::vector<std::string>> cut_entries(const std::string& from, const Victim& victim,
                                             const Tools& tools) {
  return Cut{victim, tools}.from(from);
}

}  // namespace pgfiredrill::fault
