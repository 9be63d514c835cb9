#include "cluster/discovery/host_look.h"

#include <utility>

namespace pgfiredrill {
namespace {

constexpr const char* kPatroniYml = "/etc/patroni/patroni.yml";
constexpr const char* kVipManagerYml = "/etc/patroni/vip-manager.yml";
constexpr const char* kHaproxyCfg = "/etc/haproxy/haproxy.cfg";
constexpr const char* kKeepalivedConf = "/etc/keepalived/keepalived.conf";
constexpr const char* kEtcdConf = "/etc/etcd/etcd.conf";

/// Hands a file's text to its parser; what does not parse is trouble, what is not there is not.
template <typename Parsed, typename Parser>
void parse_into(std::optional<Parsed>& target, HostLook& look, const std::string& path, const Parser& parse) {
  const auto found = look.facts.files.find(path);
  if (found == look.facts.files.end()) return;
  auto parsed = parse(found->second, look.name() + ":" + path);
  if (parsed) {
    target = std::move(*parsed);
  } else {
    look.add_trouble(path, parsed.error());
  }
}

void parse_poolers(HostLook& look) {
  for (const std::string& path : look.facts.paths("/etc/pgbouncer/", ".ini")) {
    std::optional<PgbouncerIni> ini;
    parse_into(ini, look, path, parse_pgbouncer_ini);
    // Other .ini files may lie there (includes); one with a port is a process.
    if (ini && ini->listen_port()) look.poolers.push_back({path, std::move(*ini)});
  }
}

void parse_pgbackrest(HostLook& look) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* path : {"/etc/pgbackrest/pgbackrest.conf", "/etc/pgbackrest.conf"}) {
    if (!look.facts.files.contains(path)) continue;
    files.emplace_back(path, look.facts.file(path));
    break;  // pgBackRest itself reads the second only where the first is not there
  }
  for (const std::string& path : look.facts.paths("/etc/pgbackrest/conf.d/", ".conf")) {
    files.emplace_back(path, look.facts.file(path));
  }
  if (files.empty()) return;
  auto parsed = parse_pgbackrest_conf(files);
  if (parsed) {
    look.pgbackrest = std::move(*parsed);
  } else {
    look.add_trouble("pgbackrest.conf", parsed.error());
  }
}

void report_unreadable(HostLook& look, const HostFacts& facts) {
  for (const auto& [path, reason] : facts.unreadable) {
    look.add_trouble(path, {.kind = FailureKind::denied,
                            .what = "read " + path,
                            .where = look.name(),
                            .came_back = reason,
                            .hint = "Log in as root or as postgres, or allow sudo."});
  }
}

void read_identity_files(HostLook& look, std::chrono::milliseconds deadline) {
  std::vector<std::string> paths;
  const PatroniYml& patroni = *look.patroni;
  for (const std::string& path :
       {patroni.rest_ca_file, patroni.dcs_ca_file, patroni.dcs_certificate_file, patroni.dcs_key_file}) {
    if (path.starts_with('/')) paths.push_back(path);
  }
  if (paths.empty()) return;
  auto files = read_host_files(*look.host, paths, deadline);
  if (!files) {
    look.add_trouble("certificates", files.error());
    return;
  }
  look.identity_files = std::move(*files);
  report_unreadable(look, look.identity_files);
}

void report_missing_patroni_yml(HostLook& look) {
  if (!look.has(HostRole::postgres) || look.facts.files.contains(kPatroniYml) ||
      look.facts.unreadable.contains(kPatroniYml)) {
    return;
  }
  look.add_trouble(kPatroniYml, {.kind = FailureKind::missing,
                                 .what = std::string{"read "} + kPatroniYml,
                                 .where = look.name(),
                                 .came_back = "there is no such file",
                                 .hint = "Is Patroni deployed there, or is the host in the wrong group?"});
}

}  // namespace

std::string HostLook::service_address() const {
  if (patroni && !patroni->postgres_connect.host.empty()) return patroni->postgres_connect.host;
  return description.bind_address.empty() ? description.address : description.bind_address;
}

void look_at_host(HostLook& look, std::chrono::milliseconds deadline) {
  auto facts = read_host_facts(*look.host, deadline);
  if (!facts) {
    look.add_trouble("ssh", facts.error());
    return;
  }
  look.reached = true;
  look.facts = std::move(*facts);
  report_unreadable(look, look.facts);
  report_missing_patroni_yml(look);

  parse_into(look.patroni, look, kPatroniYml, parse_patroni_yml);
  parse_into(look.vip_manager, look, kVipManagerYml, parse_vip_manager_yml);
  parse_into(look.haproxy, look, kHaproxyCfg, parse_haproxy_cfg);
  parse_into(look.keepalived, look, kKeepalivedConf, parse_keepalived_conf);
  parse_into(look.etcd, look, kEtcdConf, parse_etcd_conf);
  parse_poolers(look);
  parse_pgbackrest(look);
  if (look.patroni) read_identity_files(look, deadline);
}

}  // namespace pgfiredrill
