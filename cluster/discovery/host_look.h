#pragma once

/// The first step of discovery: what is deployed on each host, over SSH.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/host.h"
#include "cluster/config/etcd_conf.h"
#include "cluster/config/haproxy_cfg.h"
#include "cluster/config/keepalived_conf.h"
#include "cluster/config/patroni_yml.h"
#include "cluster/config/pgbackrest_conf.h"
#include "cluster/config/pgbouncer_ini.h"
#include "cluster/config/vip_manager_yml.h"
#include "cluster/host_facts.h"

namespace pgfiredrill {

/// One PgBouncer process of a host, as its file describes it.
struct PoolerFile {
  std::string path;
  PgbouncerIni ini;
};

/// One host, what was read on it, and what could not be.
struct HostLook {
  HostDescription description;
  std::unique_ptr<Host> host;
  bool reached = false;  ///< by SSH
  HostFacts facts;
  HostFacts identity_files;  ///< the certificates and keys that patroni.yml names

  std::optional<PatroniYml> patroni;
  std::vector<PoolerFile> poolers;
  std::optional<HaproxyCfg> haproxy;
  std::optional<KeepalivedConf> keepalived;
  std::optional<VipManagerYml> vip_manager;
  std::optional<PgbackrestConf> pgbackrest;
  std::optional<EtcdConf> etcd;

  std::vector<NotReached> not_reached;

  [[nodiscard]] const std::string& name() const noexcept { return description.name; }
  [[nodiscard]] bool has(HostRole role) const { return description.roles.contains(role); }
  /// The address that the host's services listen on: as Patroni says it, else the inventory, else what ssh
  /// connects to.
  [[nodiscard]] std::string service_address() const;
  void add_trouble(const std::string& topic, const Failure& failure) {
    not_reached.push_back({name(), topic, failure});
  }
};

/// Reads and parses; trouble goes into `look.not_reached`. On a thread of the host's own.
void look_at_host(HostLook& look, std::chrono::milliseconds deadline);

}  // namespace pgfiredrill
