#include "cli/cluster_source.h"

#include "base/error.h"
#include "base/process.h"
#include "cluster/discovery/discovery.h"
#include "cluster/ssh_host.h"
#include "fault-injectors/host_lock.h"
#include "inventories/ansible_inventory.h"
#include "record/files.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kMaximumCertificateBytes = std::size_t{1} << 20;

/// The value, or bad usage: nothing was touched yet.
template <typename T>
T or_bad_usage(Result<T> result) {
  if (!result) throw Error{result.error(), ExitClass::bad_usage};
  return std::move(*result);
}

std::string read_ca_file(const std::string& path) {
  if (path.empty()) return {};
  const auto text = read_whole_file(path, kMaximumCertificateBytes);
  if (text && text->find("-----BEGIN") != std::string::npos) return *text;
  throw Error{{.kind = FailureKind::missing,
               .what = "read the authority's certificate " + path,
               .where = {},
               .came_back = text ? "there is no PEM certificate in it" : text.error().came_back,
               .hint = "Give a PEM file, for example a copy of /etc/tls/ca.crt of a host."},
              ExitClass::bad_usage};
}

ClusterSeed read_seed(const ClusterSource& source, ProcessRunner& processes) {
  if (!source.patroni_url.empty()) return or_bad_usage(seed_from_patroni_url(source.patroni_url));
  return or_bad_usage(read_ansible_inventory(
      {.path = source.inventory, .vault_password_file = source.vault_password_file}, processes));
}

}  // namespace

ClusterConnection::ClusterConnection(const ClusterSource& source, Clock& clock, Log& log) {
  const auto started = clock.monotonic();
  const DiscoveryOptions options{.patroni_ca_pem = read_ca_file(source.ca_file)};
  const ClusterSeed seed = read_seed(source, processes_);
  log.debug("read the inventory: " + std::to_string(seed.hosts.size()) + " hosts");

  const std::string control_directory = or_bad_usage(make_ssh_control_directory());
  SystemSqlAccess sql;
  const auto make_host = [&](const HostDescription& host) -> std::unique_ptr<Host> {
    return std::make_unique<SshHost>(processes_, host, control_directory);
  };
  for (const HostDescription& host : seed.hosts) hosts_.emplace(host.name, make_host(host));
  const DiscoverySeams seams{.http = http_, .sql = sql, .clock = clock, .log = log, .make_host = make_host};
  description_ = discover(seed, seams, options);
  description_.took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.monotonic() - started);
}

void ClusterConnection::require_name(ExitClass exit) const {
  if (!description_.name.empty()) return;
  const auto& missing = description_.not_reached;
  throw Error{{.kind = FailureKind::unreachable,
               .what = "learn the name of the cluster",
               .where = description_.source,
               .came_back = missing.empty() ? "no host was named" : missing.front().failure.message(),
               .hint = "`pgfiredrill inspect` says what can be reached."},
              exit};
}

std::vector<Host*> ClusterConnection::hosts_to_lock() const {
  std::vector<Host*> hosts;
  for (const std::string& name : fault::hosts_to_lock(description_)) hosts.push_back(&host(name));
  return hosts;
}

}  // namespace pgfiredrill
