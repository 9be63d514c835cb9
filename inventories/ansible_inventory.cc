#include "inventories/ansible_inventory.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "inventories/ansible_runner.h"
#include "inventories/autobase_variables.h"
#include "inventories/inventory_listing.h"

namespace pgfiredrill {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhat = "read the Ansible inventory";
constexpr std::size_t kHostsInRemark = 3;

Failure trouble(FailureKind kind, const std::string& path, std::string came_back, std::string hint) {
  return {.kind = kind,
          .what = kWhat,
          .where = one_line(path),
          .came_back = std::move(came_back),
          .hint = std::move(hint)};
}

/// Ansible takes an inventory that is not there for an empty one, or says so in many words.
Result<void> check_readable(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return trouble(FailureKind::missing, "", "no inventory is named", "Name a file or directory with -i.");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return trouble(FailureKind::missing, path, "there is no such file or directory",
                   "Check the path after -i.");
  const int wanted = fs::is_directory(status) ? R_OK | X_OK : R_OK;
  if (::faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) != 0)
    return trouble(FailureKind::denied, path, "permission denied",
                   "Run as a user who may read the inventory.");
  return {};
}

/// Groups that are there, so that Ansible does not warn of the others.
std::vector<std::string> present_groups(const InventoryListing& listing) {
  std::vector<std::string> groups;
  for (const std::string& group : cluster_groups()) {
    if (!listing.hosts_of(group).empty()) groups.push_back(group);
  }
  return groups;
}

std::string some_of(const std::vector<std::string>& hosts) {
  std::string text;
  for (std::size_t i = 0; i < hosts.size() && i < kHostsInRemark; ++i) {
    if (i > 0) text += ", ";
    text += hosts[i];
  }
  if (hosts.size() > kHostsInRemark) text += fmt::format(" and {} more", hosts.size() - kHostsInRemark);
  return text;
}

class SeedBuilder {
 public:
  SeedBuilder(const AnsibleInventoryOptions& options, ProcessRunner& processes)
      : options_{options}, ansible_{options, processes} {}

  Result<ClusterSeed> build() {
    seed_.source = options_.path;
    for (const auto step : {&SeedBuilder::list, &SeedBuilder::choose_hosts, &SeedBuilder::render,
                            &SeedBuilder::describe_hosts}) {
      if (const auto done = (this->*step)(); !done) return done.error();
    }
    seed_.settings = read_settings(seed_.hosts, listing_, seed_.remarks);
    remark_shared_addresses();
    return std::move(seed_);
  }

 private:
  Result<void> list() {
    auto listed = ansible_.list(used_variables());
    if (!listed) return listed.error();
    listing_ = std::move(listed->listing);
    if (listed->partly_unread) {
      seed_.remarks.push_back(fmt::format(
          "Ansible could not read a part of the inventory; `ansible-inventory -i {} --list` shows "
          "which.",
          one_line(options_.path)));
    }
    return {};
  }

  Result<void> choose_hosts() {
    seed_.hosts = hosts_by_role(listing_);
    if (seed_.hosts.empty() || !seed_.hosts.front().roles.contains(HostRole::postgres)) {
      return trouble(FailureKind::malformed, options_.path, "there is no PostgreSQL host in it",
                     "autobase's inventories have them in the groups master and replica, children of "
                     "postgres_cluster.");
    }
    // Before a name gets onto any command line.
    for (const HostDescription& host : seed_.hosts) {
      if (const auto fit = check_name(host.name); !fit) return fit.error();
    }
    return {};
  }

  Result<void> render() {
    const VariableForms wanted = variables_to_render();
    if (wanted.empty()) return {};
    const auto rendered = ansible_.render(wanted, present_groups(listing_), listing_.secrets);
    if (!rendered) return rendered.error();
    for (const auto& [variable, form] : wanted) apply(variable, *rendered);
    return {};
  }

  /// Each call of Ansible takes about a second: only what holds something to render.
  VariableForms variables_to_render() const {
    VariableForms wanted;
    for (const HostDescription& host : seed_.hosts) {
      const auto variables = listing_.host_variables.find(host.name);
      if (variables == listing_.host_variables.end()) continue;
      for (const auto& [name, variable] : variables->second) {
        if (variable.needs_rendering()) wanted[name] = used_variables().at(name);
      }
    }
    return wanted;
  }

  void apply(const std::string& variable, const RenderedHosts& rendered) {
    std::vector<std::string> lost;
    std::string reason;
    for (const HostDescription& host : seed_.hosts) {
      HostVariables& variables = listing_.host_variables[host.name];
      const auto raw = variables.find(variable);
      if (raw == variables.end() || !raw->second.needs_rendering()) continue;
      const auto results = rendered.find(host.name);
      if (results != rendered.end() && results->second.values.contains(variable)) {
        raw->second = results->second.values.at(variable);
        continue;
      }
      lost.push_back(host.name);
      if (reason.empty() && results != rendered.end() && results->second.reasons.contains(variable))
        reason = results->second.reasons.at(variable);
    }
    if (lost.empty()) return;
    if (reason.empty()) reason = "it refers to facts or extra variables, which only a playbook has";
    seed_.remarks.push_back(
        fmt::format("{} of {} could not be rendered and is left out: {}.", variable, some_of(lost), reason));
  }

  Result<void> describe_hosts() {
    for (HostDescription& host : seed_.hosts) {
      const auto described = describe_host(listing_.host_variables[host.name], host, seed_.remarks);
      if (!described) return described.error();
    }
    return {};
  }

  /// A fault on one of them would hit the other too.
  void remark_shared_addresses() {
    std::map<std::string, std::string> names;
    for (const HostDescription& host : seed_.hosts) {
      const std::string place = fmt::format("{}:{}", host.address, host.ssh.port.value_or(22));
      const auto [first, is_new] = names.emplace(place, host.name);
      if (!is_new) {
        seed_.remarks.push_back(
            fmt::format("{} and {} have the same address, {}.", first->second, host.name, host.address));
      }
    }
  }

  const AnsibleInventoryOptions& options_;
  AnsibleRunner ansible_;
  InventoryListing listing_;
  ClusterSeed seed_;
};

}  // namespace

Result<ClusterSeed> read_ansible_inventory(const AnsibleInventoryOptions& options, ProcessRunner& processes) {
  if (const auto readable = check_readable(options.path); !readable) return readable.error();
  return SeedBuilder{options, processes}.build();
}

}  // namespace pgfiredrill
