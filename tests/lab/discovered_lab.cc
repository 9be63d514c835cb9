#include "tests/lab/discovered_lab.h"

#include <cstdlib>

#include "base/log.h"
#include "cluster/discovery/discovery.h"
#include "cluster/ssh_host.h"
#include "inventories/ansible_inventory.h"

namespace pgfiredrill::testing {

void DiscoveredLab::discover_lab() {
  const char* inventory = std::getenv("PGFIREDRILL_LAB_INVENTORY");
  if (inventory == nullptr) {
    GTEST_SKIP() << "no lab: PGFIREDRILL_LAB_INVENTORY is not set (lab/lab up, as root)";
  }
  const auto seed = read_ansible_inventory({.path = inventory, .vault_password_file = {}}, processes_);
  ASSERT_TRUE(seed) << seed.error().message();
  const auto control_directory = make_ssh_control_directory();
  ASSERT_TRUE(control_directory) << control_directory.error().message();
  const auto make_host = [&](const HostDescription& host) {
    return std::make_unique<SshHost>(processes_, host, *control_directory);
  };
  for (const HostDescription& host : seed->hosts) hosts_[host.name] = make_host(host);
  SystemSqlAccess sql;
  const auto log = make_stderr_log(LogLevel::error);
  cluster_ = discover(*seed, {http_, sql, clock_, *log, make_host}, {});
}

}  // namespace pgfiredrill::testing
