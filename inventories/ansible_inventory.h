#pragma once

/// An Ansible inventory, as Ansible itself reads it, into the seed of a cluster description.
///
/// `ansible-inventory --list` reads it (INI, YAML, directories, host and group variables, plugins), so every
/// inventory that the playbooks take is taken. Where a variable that is used holds Jinja or vault text,
/// `ansible all -m debug` renders it on this machine: no host is contacted.

#include <chrono>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/process.h"

namespace pgfiredrill {

struct AnsibleInventoryOptions {
  std::string path;                            ///< file or directory, as `ansible -i` takes it
  std::string vault_password_file;             ///< empty: none
  std::chrono::milliseconds deadline{30'000};  ///< for each call of Ansible
};

/// Reads, renders and maps. Fails `missing` (no such inventory, no ansible-inventory), `denied` (not
/// readable, wrong vault password), `failed` (Ansible said no), `malformed` (no hosts of PostgreSQL in it,
/// JSON that is none), `timed_out`.
[[nodiscard]] Result<ClusterSeed> read_ansible_inventory(const AnsibleInventoryOptions& options,
                                                         ProcessRunner& processes);

/// Patroni's address alone: `http[s]://host[:8008]`.
[[nodiscard]] Result<ClusterSeed> seed_from_patroni_url(const std::string& url);

}  // namespace pgfiredrill
