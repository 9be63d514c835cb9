/// The example inventories and the lab's must work, through the Ansible of this machine.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "inventories/ansible_inventory.h"
#include "tests/inventories/recorded_ansible.h"

namespace pgfiredrill {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class Examples : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::MachinesAnsible::is_installed())
      GTEST_SKIP() << "ansible-inventory is not installed on this machine";
  }

  static ClusterSeed read(const std::string& name) {
    SystemProcessRunner processes;
    const auto seed = read_ansible_inventory(
        {.path = std::string{PGFIREDRILL_SOURCE_DIR} + "/inventories/" + name, .vault_password_file = {}},
        processes);
    EXPECT_TRUE(seed.has_value()) << (seed ? "" : seed.error().message());
    return seed ? *seed : ClusterSeed{};
  }
};

TEST_F(Examples, Minimal) {
  const ClusterSeed seed = read("examples/minimal.ini");
  EXPECT_THAT(seed.hosts, SizeIs(3));
  EXPECT_THAT(seed.remarks, IsEmpty());
  EXPECT_EQ(seed.settings.cluster_name, "postgres-cluster");
}

TEST_F(Examples, Yaml) {
  const ClusterSeed seed = read("examples/yaml");
  ASSERT_THAT(seed.hosts, SizeIs(6));
  EXPECT_THAT(seed.remarks, IsEmpty());
  EXPECT_EQ(seed.settings.cluster_name, "staging-cluster");
  EXPECT_EQ(seed.hosts[1].bind_address, "198.51.100.12");
  EXPECT_EQ(seed.hosts[1].address, "192.0.2.12");
}

TEST_F(Examples, VirtualAddress) {
  const ClusterSeed seed = read("examples/virtual-ip.yml");
  EXPECT_THAT(seed.hosts, SizeIs(3));
  EXPECT_THAT(seed.remarks, IsEmpty());
  EXPECT_EQ(seed.settings.cluster_vip, "192.0.2.100");
  EXPECT_EQ(seed.settings.with_haproxy, true);
}

TEST_F(Examples, Lab) {
  const ClusterSeed seed = read("lab.yml");
  EXPECT_GE(seed.hosts.size(), 3u);
  EXPECT_THAT(seed.remarks, IsEmpty());
  EXPECT_FALSE(seed.settings.cluster_name.empty());
}

}  // namespace
}  // namespace pgfiredrill
