// Each client of cluster/ against the real component, on a lab that stands. Read-only: the lab is not
// changed.

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"
#include "base/text.h"
#include "cluster/config/patroni_yml.h"
#include "cluster/etcd_client.h"
#include "cluster/haproxy_stats.h"
#include "cluster/patroni_rest.h"
#include "cluster/pgbouncer_console.h"
#include "cluster/postgres_control.h"
#include "cluster/ssh_host.h"
#include "inventories/ansible_inventory.h"
#include "tests/support/private_ca.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr milliseconds kStatementTimeout{2'000};

/// One member's host with what is deployed there.
struct Node {
  std::unique_ptr<SshHost> host;
  PatroniYml patroni;
  std::string address;
};

class ClientsLab : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* inventory = std::getenv("PGFIREDRILL_LAB_INVENTORY");
    if (inventory == nullptr) {
      GTEST_SKIP() << "PGFIREDRILL_LAB_INVENTORY names no inventory of a lab; `lab/lab up` makes one";
    }
    const auto seed = read_ansible_inventory({.path = inventory, .vault_password_file = {}}, processes_);
    ASSERT_TRUE(seed) << seed.error().message();
    const auto control_directory = make_ssh_control_directory();
    ASSERT_TRUE(control_directory) << control_directory.error().message();
    for (const HostDescription& host : seed->hosts) {
      if (host.roles.contains(HostRole::postgres)) add_node(host, *control_directory);
    }
    ASSERT_THAT(nodes_, SizeIs(3));
  }

  void add_node(const HostDescription& description, const std::string& control_directory) {
    auto host = std::make_unique<SshHost>(processes_, description, control_directory);
    const auto yml = parse_patroni_yml(read(*host, "/etc/patroni/patroni.yml"), host->name());
    ASSERT_TRUE(yml) << yml.error().message();
    nodes_.push_back({std::move(host), *yml, yml->rest_connect.host});
  }

  static std::string read(Host& host, const std::string& path) {
    const auto result = host.run({.argv = {"cat", path}, .input = {}});
    EXPECT_TRUE(result) << result.error().message();
    return result ? result->out : "";
  }

  [[nodiscard]] PatroniRest patroni_on(Node& node, TlsIdentity identity) {
    return {http_, HttpAddress{.tls = true, .host = node.address, .port = node.patroni.rest_connect.port},
            std::move(identity), node.patroni.name};
  }
  [[nodiscard]] PatroniRest patroni_on(Node& node) { return patroni_on(node, patroni_identity(node)); }

  static TlsIdentity patroni_identity(Node& node) {
    return {.ca_pem = read(*node.host, node.patroni.rest_ca_file), .certificate_pem = {}, .key_pem = {}};
  }

  static TlsIdentity etcd_identity(Node& node) {
    return {.ca_pem = read(*node.host, node.patroni.dcs_ca_file),
            .certificate_pem = read(*node.host, node.patroni.dcs_certificate_file),
            .key_pem = Secret{read(*node.host, node.patroni.dcs_key_file)}};
  }

  [[nodiscard]] EtcdClient etcd_on(Node& node, TlsIdentity identity) {
    return {http_, HttpAddress{.tls = true, .host = node.address, .port = 2379}, std::move(identity),
            node.patroni.name};
  }

  static ConnectParameters superuser_on(const Node& node, int port) {
    ConnectParameters parameters;
    parameters.host = node.address;
    parameters.port = port;
    parameters.user = node.patroni.superuser;
    parameters.password = node.patroni.superuser_password;
    return parameters;
  }

  /// Patroni's word for who leads.
  [[nodiscard]] std::string leader() {
    const auto cluster = patroni_on(nodes_.front()).cluster();
    EXPECT_TRUE(cluster) << cluster.error().message();
    for (const PatroniMember& member : cluster->members) {
      if (member.role == "leader") return member.name;
    }
    ADD_FAILURE() << "the lab has no leader";
    return {};
  }

  static ServerIdentity identity_through(const ConnectParameters& parameters, const std::string& where) {
    auto control = PostgresControl::connect(parameters, where, kStatementTimeout);
    EXPECT_TRUE(control) << control.error().message();
    if (!control) return {};
    const auto identity = control->identity();
    EXPECT_TRUE(identity) << identity.error().message();
    return identity ? *identity : ServerIdentity{};
  }

  SystemProcessRunner processes_;
  SystemHttpClient http_;
  std::vector<Node> nodes_;
};

TEST_F(ClientsLab, PatroniAnswersEachQuestionOnEveryNode) {
  for (Node& node : nodes_) {
    const PatroniRest patroni = patroni_on(node);
    const auto cluster = patroni.cluster();
    ASSERT_TRUE(cluster) << cluster.error().message();
    EXPECT_EQ(cluster->scope, node.patroni.scope);
    EXPECT_THAT(cluster->members, SizeIs(nodes_.size()));

    const auto self = patroni.node();
    ASSERT_TRUE(self) << self.error().message();
    EXPECT_EQ(self->name, node.patroni.name);
    EXPECT_EQ(self->state, "running");
    EXPECT_GE(self->server_version, 150000);
    EXPECT_NE(self->system_identifier, "");

    const auto config = patroni.config();
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_TRUE(config->ttl && config->loop_wait && config->retry_timeout && config->primary_start_timeout);
    EXPECT_TRUE(config->synchronous_mode && config->failsafe_mode);
    EXPECT_FALSE(config->parameters.empty());

    const auto history = patroni.history();
    ASSERT_TRUE(history) << history.error().message();
    EXPECT_EQ(static_cast<std::int64_t>(history->size()) + 1, self->timeline.value_or(0));
  }
}

TEST_F(ClientsLab, PatroniIsNotTrustedByAnotherAuthority) {
  const testing::PrivateCa other;
  const auto cluster =
      patroni_on(nodes_.front(), {.ca_pem = other.ca_pem(), .certificate_pem = {}, .key_pem = {}}).cluster();
  ASSERT_FALSE(cluster);
  EXPECT_EQ(cluster.error().kind, FailureKind::untrusted);
}

TEST_F(ClientsLab, PatroniAskedWithoutTlsHintsAtIt) {
  const Node& node = nodes_.front();
  const PatroniRest plain{
      http_, HttpAddress{.tls = false, .host = node.address, .port = node.patroni.rest_connect.port},
      TlsIdentity{}, "pg1"};
  const auto cluster = plain.cluster();
  ASSERT_FALSE(cluster);
  EXPECT_THAT(cluster.error().hint, HasSubstr("HTTPS")) << cluster.error().message();
}

TEST_F(ClientsLab, EtcdAnswersWhoHasACertificate) {
  std::set<std::string> leaders;
  for (Node& node : nodes_) {
    const EtcdClient etcd = etcd_on(node, etcd_identity(node));
    const auto healthy = etcd.healthy();
    ASSERT_TRUE(healthy) << healthy.error().message();
    EXPECT_TRUE(*healthy);
    const auto status = etcd.status();
    ASSERT_TRUE(status) << status.error().message();
    EXPECT_TRUE(status->version.starts_with("3."));
    EXPECT_GT(status->database_bytes, 0);
    leaders.insert(status->leader_id);
    const auto members = etcd.members();
    ASSERT_TRUE(members) << members.error().message();
    EXPECT_THAT(*members, SizeIs(nodes_.size()));
  }
  EXPECT_THAT(leaders, SizeIs(1));
}

TEST_F(ClientsLab, EtcdHoldsPatronisLeaderKey) {
  Node& node = nodes_.front();
  const std::string prefix = "/" + node.patroni.dcs_namespace + "/" + node.patroni.scope + "/";
  const auto keys = etcd_on(node, etcd_identity(node)).range(prefix);
  ASSERT_TRUE(keys) << keys.error().message();
  std::map<std::string, EtcdKeyValue> by_key;
  for (const EtcdKeyValue& pair : *keys) by_key[pair.key] = pair;
  ASSERT_TRUE(by_key.contains(prefix + "leader"));
  EXPECT_EQ(by_key[prefix + "leader"].value, leader());
  EXPECT_NE(by_key[prefix + "leader"].lease, 0);
}

TEST_F(ClientsLab, EtcdRefusesWhoHasNoCertificate) {
  TlsIdentity without = etcd_identity(nodes_.front());
  without.certificate_pem.clear();
  without.key_pem = Secret{};
  const auto health = etcd_on(nodes_.front(), without).healthy();
  ASSERT_FALSE(health);
  EXPECT_THAT(health.error().hint, HasSubstr("client certificate")) << health.error().message();
}

TEST_F(ClientsLab, EveryBalancerHasTheLeaderUpAlone) {
  const std::string leads = leader();
  for (const Node& node : nodes_) {
    const auto rows = read_haproxy_stats(http_, HttpAddress{.tls = false, .host = node.address, .port = 7000},
                                         "/", node.address);
    ASSERT_TRUE(rows) << rows.error().message();
    std::vector<std::string> up;
    for (const HaproxyStatsRow& row : *rows) {
      if (row.proxy == "master" && row.is_server() && row.is_up()) up.push_back(row.server);
    }
    EXPECT_EQ(up, std::vector<std::string>{leads});
  }
}

TEST_F(ClientsLab, PgbouncersConsoleShowsItsSettings) {
  for (const Node& node : nodes_) {
    auto console = PgbouncerConsole::connect(superuser_on(node, 6432), node.patroni.name);
    ASSERT_TRUE(console) << console.error().message();
    const auto version = console->version();
    ASSERT_TRUE(version) << version.error().message();
    EXPECT_TRUE(version->starts_with("1."));
    const auto config = console->config();
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_TRUE(config->contains("server_login_retry"));
    const auto databases = console->databases();
    ASSERT_TRUE(databases) << databases.error().message();
    EXPECT_TRUE(databases->front().contains("paused"));
    EXPECT_TRUE(console->pools());
  }
}

// Directly, through the pooler and through the balancers the same server is the same server.
TEST_F(ClientsLab, TheLeaderIsRecognisedThroughEveryEntryPoint) {
  const std::string leads = leader();
  std::string start;
  std::set<std::string> starts;
  for (const Node& node : nodes_) {
    const ServerIdentity direct = identity_through(superuser_on(node, 5432), node.patroni.name);
    EXPECT_EQ(direct.in_recovery, node.patroni.name != leads);
    EXPECT_EQ(identity_through(superuser_on(node, 6432), node.patroni.name).postmaster_start,
              direct.postmaster_start);
    starts.insert(direct.postmaster_start);
    if (node.patroni.name == leads) start = direct.postmaster_start;
  }
  EXPECT_THAT(starts, SizeIs(nodes_.size()));
  for (const Node& node : nodes_) {
    EXPECT_EQ(identity_through(superuser_on(node, 5000), node.address + ":5000").postmaster_start, start);
    EXPECT_TRUE(identity_through(superuser_on(node, 5001), node.address + ":5001").in_recovery);
  }
}

TEST_F(ClientsLab, PostgresqlTellsItsSettings) {
  auto control = PostgresControl::connect(superuser_on(nodes_.front(), 5432), "pg1", kStatementTimeout);
  ASSERT_TRUE(control) << control.error().message();
  const auto settings = control->settings({"archive_timeout", "synchronous_commit", "no_such_setting"});
  ASSERT_TRUE(settings) << settings.error().message();
  EXPECT_THAT(*settings, SizeIs(2));
  EXPECT_EQ(control->query("SELECT pg_sleep(5)").error().kind, FailureKind::timed_out);
  EXPECT_TRUE(control->query("SELECT 1"));
}

TEST_F(ClientsLab, AWrongPasswordIsDeniedAndNotRepeated) {
  for (const int port : {5432, 6432, 5000}) {
    ConnectParameters wrong = superuser_on(nodes_.front(), port);
    wrong.password = Secret{"example-wrong-password"};
    const auto control = PostgresControl::connect(wrong, "pg1", kStatementTimeout);
    ASSERT_FALSE(control);
    EXPECT_EQ(control.error().kind, FailureKind::denied) << control.error().message();
    EXPECT_THAT(control.error().message(), Not(HasSubstr("example-wrong-password")));
  }
}

TEST_F(ClientsLab, TheServersCertificateIsVerified) {
  const testing::PrivateCa other;
  const testing::TemporaryDirectory directory;
  for (const int port : {5432, 6432}) {
    ConnectParameters parameters = superuser_on(nodes_.front(), port);
    parameters.sslmode = "verify-full";
    parameters.ca_file = directory.write("ca.crt", patroni_identity(nodes_.front()).ca_pem);
    EXPECT_TRUE(PostgresControl::connect(parameters, "pg1", kStatementTimeout));

    parameters.ca_file = directory.write("other.crt", other.ca_pem());
    const auto untrusted = PostgresControl::connect(parameters, "pg1", kStatementTimeout);
    ASSERT_FALSE(untrusted);
    EXPECT_EQ(untrusted.error().kind, FailureKind::untrusted) << untrusted.error().message();

    parameters.sslmode = "disable";
    const auto plain = PostgresControl::connect(parameters, "pg1", kStatementTimeout);
    ASSERT_FALSE(plain);
    EXPECT_EQ(plain.error().kind, FailureKind::denied) << plain.error().message();
  }
}

}  // namespace
}  // namespace pgfiredrill
