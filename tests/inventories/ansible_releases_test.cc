/// Every kind of inventory, read from recorded answers of Ansible's releases and through the Ansible of this
/// machine: all of them must come to the same.

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "inventories/ansible_inventory.h"
#include "tests/inventories/recorded_ansible.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fixture_path;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MachinesAnsible;
using ::testing::Not;
using testing::ReplayedAnsible;
using ::testing::SizeIs;

constexpr const char* kThisMachine = "machine";

class AnsibleReleases : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (on_this_machine() && !MachinesAnsible::is_installed())
      GTEST_SKIP() << "ansible-inventory is not installed on this machine";
  }

  static bool on_this_machine() { return std::string{GetParam()} == kThisMachine; }

  /// The inventory data/inventories/NAME, with the password file data/PASSWORD where one is named.
  static Result<ClusterSeed> read(const std::string& name, const std::string& password = {}) {
    AnsibleInventoryOptions options{.path = fixture_path("inventories/data/inventories/" + name)};
    if (!password.empty()) options.vault_password_file = fixture_path("inventories/data/" + password);
    const std::string recording = password.empty() ? name : name + "+" + password;
    const auto processes = ansible(recording);
    return read_ansible_inventory(options, *processes);
  }

  static ClusterSeed seed_of(const std::string& name, const std::string& password = {}) {
    auto seed = read(name, password);
    EXPECT_TRUE(seed.has_value()) << (seed ? "" : seed.error().message());
    return seed ? *seed : ClusterSeed{};
  }

  static Failure failure_of(const std::string& name, const std::string& password = {}) {
    const auto seed = read(name, password);
    EXPECT_FALSE(seed.has_value());
    const Failure failure = seed ? Failure{} : seed.error();
    // Whatever the trouble is: one line, where it was, what to do, and nothing of the inventory's secrets.
    EXPECT_THAT(failure.message(), AllOf(HasSubstr(name), Not(HasSubstr("\n")), Not(HasSubstr("example-"))));
    EXPECT_FALSE(failure.hint.empty());
    return failure;
  }

 private:
  static std::unique_ptr<ProcessRunner> ansible(const std::string& recording) {
    if (on_this_machine()) return std::make_unique<MachinesAnsible>(recording);
    return std::make_unique<ReplayedAnsible>(GetParam(), recording);
  }
};

INSTANTIATE_TEST_SUITE_P(, AnsibleReleases, ::testing::Values("ansible-2.14", "ansible-2.19", kThisMachine),
                         [](const auto& release) {
                           std::string name{release.param};
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

const HostDescription& host_named(const ClusterSeed& seed, const std::string& name) {
  static const HostDescription none;
  for (const HostDescription& host : seed.hosts) {
    if (host.name == name) return host;
  }
  ADD_FAILURE() << "no host " << name;
  return none;
}

TEST_P(AnsibleReleases, ReadTheMinimalIni) {
  const ClusterSeed seed = seed_of("minimal.ini");
  ASSERT_THAT(seed.hosts, SizeIs(4));  // the monitoring host is not part of the cluster
  const HostDescription& first = host_named(seed, "10.77.0.11");
  EXPECT_EQ(first.address, "10.77.0.11");
  EXPECT_EQ(first.hostname, "pgnode01");
  EXPECT_EQ(first.roles, (std::set{HostRole::postgres, HostRole::balancer, HostRole::consensus}));
  EXPECT_TRUE(first.inventory_master);
  EXPECT_FALSE(host_named(seed, "10.77.0.12").inventory_master);
  EXPECT_EQ(host_named(seed, "10.77.0.13").roles, (std::set{HostRole::postgres, HostRole::consensus}));
  EXPECT_EQ(seed.settings.cluster_name, "shop");
  EXPECT_THAT(seed.remarks, IsEmpty());
}

TEST_P(AnsibleReleases, ReadHowToLogIn) {
  const ClusterSeed seed = seed_of("minimal.ini");
  const SshAccess& ssh = host_named(seed, "10.77.0.11").ssh;
  EXPECT_EQ(ssh.user, "deploy");
  EXPECT_EQ(ssh.port, 22);
  EXPECT_EQ(ssh.private_key_file, "/home/deploy/.ssh/id_ed25519");
  EXPECT_THAT(ssh.arguments,
              ElementsAre("-o", "ProxyJump bastion.example", "-o", "StrictHostKeyChecking=yes"));
  EXPECT_FALSE(ssh.become);
  EXPECT_EQ(host_named(seed, "backup.example").roles, std::set{HostRole::repository});
  EXPECT_EQ(host_named(seed, "backup.example").address, "10.77.0.20");
}

TEST_P(AnsibleReleases, ReadYamlWithNullHostsAndGroups) {
  const ClusterSeed seed = seed_of("null_hosts.yml");
  ASSERT_THAT(seed.hosts, SizeIs(2));
  EXPECT_EQ(host_named(seed, "10.77.0.12").roles, (std::set{HostRole::postgres, HostRole::consensus}));
  const InventorySettings& settings = seed.settings;
  EXPECT_EQ(settings.dcs_type, "consul");
  EXPECT_EQ(settings.cluster_vip, "");
  EXPECT_EQ(settings.patroni_tls, true);
  EXPECT_EQ(settings.patroni_port, 8009);
  EXPECT_EQ(settings.pgbouncer_port, 6433);
  EXPECT_EQ(settings.postgresql_port, 5433);
  EXPECT_EQ(settings.with_haproxy, true);
  EXPECT_EQ(settings.haproxy_ports,
            (std::map<std::string, int>{{"master", 5000}, {"replicas", 5001}, {"stats", 7000}}));
  EXPECT_THAT(seed.remarks, IsEmpty());
}

TEST_P(AnsibleReleases, RenderJinjaFromADirectorysVariables) {
  const ClusterSeed seed = seed_of("directory");
  ASSERT_THAT(seed.hosts, SizeIs(4));
  EXPECT_EQ(seed.settings.cluster_name, "shop-cluster");
  EXPECT_EQ(seed.settings.cluster_vip, "10.77.0.100");
  EXPECT_EQ(seed.settings.pgbouncer_port, 6432);
  EXPECT_EQ(seed.settings.haproxy_ports, (std::map<std::string, int>{{"master", 5000}, {"replicas", 5001}}));
  EXPECT_EQ(host_named(seed, "pg2").address, "10.77.0.12");
  EXPECT_EQ(host_named(seed, "pg2").hostname, "pgnode02");
  EXPECT_EQ(host_named(seed, "pg2").bind_address, "10.78.0.12");
  EXPECT_EQ(host_named(seed, "pg2").ssh.port, std::nullopt);
  EXPECT_EQ(host_named(seed, "pg3").ssh.port, 2222);
  EXPECT_TRUE(host_named(seed, "pg3").ssh.become);
  EXPECT_EQ(host_named(seed, "lb1").address, "10.77.0.30");
  EXPECT_EQ(host_named(seed, "lb1").bind_address, "10.78.0.30");
  EXPECT_THAT(seed.remarks, IsEmpty());
}

TEST_P(AnsibleReleases, DecryptAVaultValueBehindJinja) {
  const ClusterSeed seed = seed_of("vault_inline", "vault_password");
  EXPECT_EQ(host_named(seed, "10.77.0.12").ssh.become_password, Secret{"example-sudo-password"});
  EXPECT_TRUE(host_named(seed, "10.77.0.12").ssh.become);
  EXPECT_THAT(seed.remarks, IsEmpty());
}

TEST_P(AnsibleReleases, DecryptAVaultValue) {
  const ClusterSeed seed = seed_of("vault_direct", "vault_password");
  EXPECT_EQ(host_named(seed, "10.77.0.11").ssh.become_password, Secret{"example-sudo-password"});
}

TEST_P(AnsibleReleases, SayThatTheVaultPasswordIsWrong) {
  for (const char* inventory : {"vault_inline", "vault_direct", "vault_whole.ini"}) {
    const Failure failure = failure_of(inventory, "wrong_vault_password");
    EXPECT_EQ(failure.kind, FailureKind::denied) << inventory;
    EXPECT_THAT(failure.hint, HasSubstr("wrong_vault_password (--vault-password-file)"));
  }
}

TEST_P(AnsibleReleases, SayThatAVaultPasswordIsNeeded) {
  for (const char* inventory : {"vault_inline", "vault_direct", "vault_whole.ini"}) {
    const Failure failure = failure_of(inventory);
    EXPECT_EQ(failure.kind, FailureKind::denied) << inventory;
    EXPECT_THAT(failure.hint, HasSubstr("Give --vault-password-file FILE"));
  }
}

TEST_P(AnsibleReleases, NeedNoPasswordForAVaultValueThatIsNotUsed) {
  EXPECT_THAT(seed_of("vault_unused").hosts, SizeIs(2));
}

TEST_P(AnsibleReleases, ReadAnInventoryThatIsEncryptedAsAWhole) {
  EXPECT_THAT(seed_of("vault_whole.ini", "vault_password").hosts, SizeIs(2));
}

TEST_P(AnsibleReleases, SayThatTheVaultPasswordFileIsNotThere) {
  const Failure failure = failure_of("minimal.ini", "no_such_file");
  EXPECT_EQ(failure.kind, FailureKind::missing);
  EXPECT_THAT(failure.message(), HasSubstr("--vault-password-file"));
}

TEST_P(AnsibleReleases, LeaveOutWhatCannotBeRenderedAndKeepTheRest) {
  const ClusterSeed seed = seed_of("unrenderable.ini");
  EXPECT_EQ(seed.settings.cluster_name, "shop-cluster");
  EXPECT_EQ(host_named(seed, "10.77.0.12").hostname, "pgnode02");
  EXPECT_EQ(host_named(seed, "10.77.0.12").bind_address, "");
  EXPECT_EQ(seed.settings.cluster_vip, "");
  EXPECT_THAT(seed.remarks, SizeIs(2));
  EXPECT_THAT(seed.remarks, Contains(AllOf(HasSubstr("bind_address of 10.77.0.11, 10.77.0.12 could not"),
                                           HasSubstr("facts"))));
  EXPECT_THAT(seed.remarks, Contains(AllOf(HasSubstr("cluster_vip of 10.77.0.11, 10.77.0.12 could not"),
                                           HasSubstr("expected token"))));
}

TEST_P(AnsibleReleases, RefuseToGuessAnAddressThatCannotBeRendered) {
  const auto seed = read("unknown_address.ini");
  ASSERT_FALSE(seed);
  EXPECT_EQ(seed.error().kind, FailureKind::malformed);
  EXPECT_THAT(seed.error().message(), AllOf(HasSubstr("address of pg1"), HasSubstr("ansible_host")));
}

TEST_P(AnsibleReleases, SayWhichLineIsNotInventoryWithoutQuotingIt) {
  const Failure failure = failure_of("not_key_value.ini");
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_THAT(failure.came_back, HasSubstr("a word that is not key=value stands after a host"));
}

TEST_P(AnsibleReleases, SayThatAQuoteIsNotClosedWithoutQuotingIt) {
  const Failure failure = failure_of("unclosed_quote.ini");
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_THAT(failure.came_back, HasSubstr("a quote is not closed"));
}

TEST_P(AnsibleReleases, SayThatYamlIsBrokenWithoutQuotingIt) {
  for (const char* inventory : {"broken.yml", "broken_group_vars"}) {
    const Failure failure = failure_of(inventory);
    EXPECT_EQ(failure.kind, FailureKind::failed);
    EXPECT_THAT(failure.came_back, HasSubstr("it is not valid YAML"));
  }
}

TEST_P(AnsibleReleases, SayThatThereIsNoPostgres) {
  const Failure failure = failure_of("no_postgres.ini");
  EXPECT_EQ(failure.kind, FailureKind::malformed);
  EXPECT_THAT(failure.came_back, HasSubstr("no PostgreSQL host"));
  EXPECT_THAT(failure.hint, HasSubstr("postgres_cluster"));
}

TEST_P(AnsibleReleases, TakeTheOldNamesOfConnectionVariablesFirstAsAnsibleDoes) {
  const ClusterSeed seed = seed_of("old_names.ini");
  EXPECT_EQ(host_named(seed, "pg1").address, "10.77.0.11");
  const HostDescription& both = host_named(seed, "pg2");
  EXPECT_EQ(both.address, "10.77.0.12");
  EXPECT_EQ(both.ssh.user, "old");
  EXPECT_EQ(both.ssh.port, 2200);
  EXPECT_TRUE(both.ssh.become);
  EXPECT_EQ(both.ssh.become_password, Secret{"example-sudo-password"});
}

}  // namespace
}  // namespace pgfiredrill
