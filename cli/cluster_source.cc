#include "cli/cluster_source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/process.h"
#include "cluster/discovery/discovery.h"
#include "cluster/ssh_host.h"
#include "inventories/ansible_inventory.h"

namespace pgfiredrill {
namespace {

/// The value, or bad usage: nothing was touched yet.
template <typename T>
T or_bad_usage(Result<T> result) {
  if (!result) throw Error{result.error(), ExitClass::bad_usage};
  return std::move(*result);
}

std::string read_ca_file(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (file && text.find("-----BEGIN") != std::string::npos) return text;
  throw Error{{.kind = FailureKind::missing,
               .what = "read the authority's certificate " + path,
               .where = {},
               .came_back = file ? "there is no PEM certificate in it" : std::strerror(errno),
               .hint = "Give a PEM file, for example a copy of /etc/tls/ca.crt of a host."},
              ExitClass::bad_usage};
}

ClusterSeed read_seed(const ClusterSource& source, ProcessRunner& processes) {
  if (!source.patroni_url.empty()) return or_bad_usage(seed_from_patroni_url(source.patroni_url));
  return or_bad_usage(read_ansible_inventory(
      {.path = source.inventory, .vault_password_file = source.vault_password_file}, processes));
}

}  // namespace

ClusterDescription discover_cluster(const ClusterSource& source, Clock& clock, Log& log) {
  const auto started = clock.monotonic();
  SystemProcessRunner processes;
  const DiscoveryOptions options{.patroni_ca_pem = read_ca_file(source.ca_file)};
  const ClusterSeed seed = read_seed(source, processes);
  log.debug("read the inventory: " + std::to_string(seed.hosts.size()) + " hosts");

  const std::string control_directory = or_bad_usage(make_ssh_control_directory());
  SystemHttpClient http;
  SystemSqlAccess sql;
  const DiscoverySeams seams{.http = http,
                             .sql = sql,
                             .clock = clock,
                             .log = log,
                             .make_host = [&](const HostDescription& host) -> std::unique_ptr<Host> {
                               return std::make_unique<SshHost>(processes, host, control_directory);
                             }};
  ClusterDescription description = discover(seed, seams, options);
  description.took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.monotonic() - started);
  return description;
}

}  // namespace pgfiredrill
