#include "cluster/discovery/discovery.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "tests/cluster/discovery/fake_cluster.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeCluster;
using testing::find_not_reached;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string troubles(const ClusterDescription& cluster) {
  std::string text;
  for (const NotReached& missing : cluster.not_reached) {
    text += missing.host + ", " + missing.topic + ": " + missing.failure.message() + "\n";
  }
  return text;
}

const EntryPoint& entry_point(const ClusterDescription& cluster, const std::string& address) {
  static const EntryPoint none;
  for (const EntryPoint& point : cluster.entry_points) {
    if (point.address.to_string() == address) return point;
  }
  ADD_FAILURE() << "no entry point " << address;
  return none;
}

TEST(Discovery, DescribesAHealthyCluster) {
  const ClusterDescription cluster = FakeCluster{}.discover();
  EXPECT_THAT(cluster.not_reached, IsEmpty()) << troubles(cluster);
  EXPECT_EQ(cluster.name, "postgres-cluster");
  EXPECT_EQ(cluster.system_identifier, "7412345678901234567");
  EXPECT_EQ(cluster.type, DeploymentType::d);
  EXPECT_EQ(cluster.dcs_type, "etcd");

  ASSERT_EQ(cluster.members.size(), 3u);
  const Member& leader = cluster.members[0];
  EXPECT_EQ(leader.host, "pg1");
  EXPECT_EQ(leader.role, "leader");
  EXPECT_EQ(leader.timeline, 3);
  EXPECT_EQ(leader.in_recovery, false);
  EXPECT_EQ(leader.postgres_version, "17.6");
  EXPECT_EQ(leader.patroni_version, "4.0.7");
  EXPECT_EQ(cluster.members[2].lag_bytes, 16384);

  ASSERT_EQ(cluster.consensus.size(), 3u);
  EXPECT_TRUE(cluster.consensus[0].leader);
  EXPECT_FALSE(cluster.consensus[1].leader);
  EXPECT_TRUE(cluster.consensus[1].healthy);

  ASSERT_EQ(cluster.repositories.size(), 1u);
  EXPECT_EQ(cluster.repositories[0].location, "s3://backups/one at s3.example");
  EXPECT_EQ(cluster.repositories[0].last_full->label, "20260301-030000F");
}

TEST(Discovery, KnowsWhoLedBefore) {
  const ClusterDescription cluster = FakeCluster{}.discover();
  ASSERT_EQ(cluster.history.size(), 2u);
  EXPECT_EQ(cluster.history[1].timeline, 2);
  EXPECT_EQ(cluster.history[1].new_leader, "pgnode01");
}

TEST(Discovery, KeepsUsersAndPasswordsForWhoeverLogsIn) {
  const ClusterAccess access = FakeCluster{}.discover().access;
  EXPECT_EQ(access.superuser, "postgres");
  EXPECT_EQ(access.superuser_password, Secret{FakeCluster::kSuperuserPassword});
  EXPECT_EQ(access.rest_user, "patroni");
  EXPECT_EQ(access.rest_password, Secret{"rest-secret"});
  EXPECT_FALSE(access.rest_ca_pem.empty());
  EXPECT_FALSE(access.dcs_ca_pem.empty());
}

TEST(Discovery, KnowsWhereServersSocketsAndStatisticsPagesAre) {
  const ClusterDescription cluster = FakeCluster{}.discover();
  ASSERT_EQ(cluster.members.size(), 3u);
  EXPECT_EQ(cluster.members[0].socket_directory, "/var/run/postgresql");
  ASSERT_EQ(cluster.statistics.size(), 3u);
  EXPECT_EQ(cluster.statistics[0].host, "pg1");
  EXPECT_EQ(cluster.statistics[0].address, (Endpoint{"10.77.0.11", 7000}));
  EXPECT_EQ(cluster.statistics[0].uri, "/");
}

TEST(Discovery, FindsEveryEntryPointAndAsksWhoIsThere) {
  const ClusterDescription cluster = FakeCluster{}.discover();
  EXPECT_EQ(cluster.entry_points.size(), 3u * 3 + 3 + 3);

  const EntryPoint& primary = entry_point(cluster, "10.77.0.12:5000");
  EXPECT_EQ(primary.kind, EntryPointKind::balancer);
  EXPECT_EQ(primary.role, EntryPointRole::primary);
  EXPECT_EQ(primary.host, "pg2");
  EXPECT_EQ(primary.answered_by, "pgnode01");
  EXPECT_EQ(primary.answered_in_recovery, false);
  EXPECT_EQ(primary.login_time, 9ms);
  ASSERT_EQ(primary.servers.size(), 3u);
  EXPECT_EQ(primary.servers[0].status, "UP");
  EXPECT_EQ(primary.servers[1].status, "DOWN");
  EXPECT_EQ(primary.servers[1].last_check, "L7STS/503");

  EXPECT_EQ(entry_point(cluster, "10.77.0.11:5001").role, EntryPointRole::replica);
  EXPECT_EQ(entry_point(cluster, "10.77.0.11:5001").answered_by, "pgnode02");
  EXPECT_EQ(entry_point(cluster, "10.77.0.13:6432").kind, EntryPointKind::pooler);
  EXPECT_EQ(entry_point(cluster, "10.77.0.13:6432").answered_by, "pgnode03");
  EXPECT_EQ(entry_point(cluster, "10.77.0.13:5432").kind, EntryPointKind::server);
}

TEST(Discovery, DoesNotKnockWhereItsBalancerSeesNobody) {
  const ClusterDescription cluster = FakeCluster{}.discover();
  const EntryPoint& sync = entry_point(cluster, "10.77.0.11:5002");
  EXPECT_EQ(sync.role, EntryPointRole::replica_sync);
  EXPECT_EQ(sync.answered_by, "");
  EXPECT_EQ(find_not_reached(cluster, "pg1", "entry point 10.77.0.11:5002"), nullptr);
}

TEST(Discovery, TakesSettingsFromTheLiveCluster) {
  const FailoverSettings settings = FakeCluster{}.discover().settings;
  EXPECT_EQ(settings.ttl.value, 30s) << "patroni.yml's bootstrap section is not live";
  EXPECT_EQ(settings.ttl.source, "GET /config of pg1");
  EXPECT_EQ(settings.primary_start_timeout.value, 300s);
  EXPECT_EQ(settings.synchronous_mode.value, "off");
  EXPECT_EQ(settings.server_login_retry.value, 15s);
  EXPECT_EQ(settings.etcd_election_timeout.value, 5000ms);
  EXPECT_EQ(settings.watchdog_mode.value, "automatic");
  EXPECT_EQ(settings.archive_timeout.value, 1800s);
  EXPECT_FALSE(settings.vip_interval.value.has_value());
  ASSERT_EQ(settings.listeners.size(), 3u);
  EXPECT_EQ(settings.listeners[0].listener, "master");
  EXPECT_EQ(settings.listeners[0].inter, 3000ms);
  EXPECT_EQ(settings.listeners[0].rise, 4);
  EXPECT_EQ(settings.listeners[0].check_timeout, 15000ms);
  EXPECT_THAT(settings.disagreements, IsEmpty());
}

TEST(Discovery, SaysWhereHostsDisagree) {
  FakeCluster fake;
  fake.login_retry["pg2"] = "1";
  auto& cfg = fake.files("pg3")["/etc/haproxy/haproxy.cfg"];
  cfg.replace(cfg.find("rise 4"), 6, "rise 2");
  const FailoverSettings settings = fake.discover().settings;
  EXPECT_THAT(settings.disagreements, Contains(HasSubstr("server_login_retry")));
  EXPECT_THAT(settings.disagreements, Contains(HasSubstr("check timings of listener master")));
}

TEST(Discovery, GoesOnWithoutAHostThatIsDown) {
  FakeCluster fake;
  fake.ssh_down = {"pg1"};
  fake.http_down = {"10.77.0.11:8008", "10.77.0.11:7000", "10.77.0.11:2379"};
  const ClusterDescription cluster = fake.discover();
  ASSERT_NE(find_not_reached(cluster, "pg1", "ssh"), nullptr);
  ASSERT_NE(find_not_reached(cluster, "pg1", "patroni"), nullptr);
  EXPECT_EQ(cluster.members.size(), 3u);
  EXPECT_EQ(cluster.settings.ttl.source, "GET /config of pg2");
  EXPECT_EQ(entry_point(cluster, "10.77.0.12:5001").answered_by, "pgnode02");
  EXPECT_EQ(cluster.repositories.size(), 1u) << "the second host knows the repositories too";
}

TEST(Discovery, SaysOfEachHostWhatItsPatroniAnswered) {
  FakeCluster fake;
  fake.rest_body["10.77.0.11:8008/patroni"] = "<html><body>It works!</body></html>";
  fake.rest_body["10.77.0.12:8008/cluster"] = R"({"members": [{"name": "pgno)";
  const ClusterDescription cluster = fake.discover();
  for (const char* topic : {"patroni", "patroni cluster"}) {
    SCOPED_TRACE(topic);
    const NotReached* missing =
        find_not_reached(cluster, topic == std::string{"patroni"} ? "pg1" : "pg2", topic);
    ASSERT_NE(missing, nullptr) << troubles(cluster);
    EXPECT_EQ(missing->failure.kind, FailureKind::malformed);
    EXPECT_FALSE(missing->failure.hint.empty());
  }
  EXPECT_EQ(cluster.members.size(), 3u) << "pg3 knows the members too";
}

TEST(Discovery, SaysThatNodesDoNotAgreeOnWhoLeads) {
  FakeCluster fake;
  fake.rest_body["10.77.0.13:8008/cluster"] =
      R"({"members": [{"name": "pgnode03", "role": "leader", "state": "running", "host": "10.77.0.13", "port": 5432}]})";
  const ClusterDescription cluster = fake.discover();
  EXPECT_THAT(cluster.remarks,
              Contains(HasSubstr("do not agree on who leads: pg1 says pgnode01, pg2 says pgnode01, "
                                 "pg3 says pgnode03")));
}

TEST(Discovery, SaysWhichFileMayNotBeRead) {
  FakeCluster fake;
  fake.unreadable = {"pg2:/etc/patroni/patroni.yml"};
  const ClusterDescription cluster = fake.discover();
  const NotReached* missing = find_not_reached(cluster, "pg2", "/etc/patroni/patroni.yml");
  ASSERT_NE(missing, nullptr) << troubles(cluster);
  EXPECT_EQ(missing->failure.kind, FailureKind::denied);
  EXPECT_EQ(cluster.members[1].postgres_version, "17.6") << "its REST interface is where the inventory says";
}

TEST(Discovery, SaysWhichFileDoesNotParse) {
  FakeCluster fake;
  fake.files("pg3")["/etc/patroni/patroni.yml"] = "scope: [";
  fake.files("pg3").erase("/etc/haproxy/haproxy.cfg");
  const ClusterDescription cluster = fake.discover();
  ASSERT_NE(find_not_reached(cluster, "pg3", "/etc/patroni/patroni.yml"), nullptr) << troubles(cluster);
  EXPECT_EQ(find_not_reached(cluster, "pg3", "haproxy statistics"), nullptr)
      << "what is not deployed is no trouble";
}

TEST(Discovery, MissesPatroniWhereThereShouldBeOne) {
  FakeCluster fake;
  fake.files("pg3").erase("/etc/patroni/patroni.yml");
  const ClusterDescription cluster = fake.discover();
  const NotReached* missing = find_not_reached(cluster, "pg3", "/etc/patroni/patroni.yml");
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->failure.kind, FailureKind::missing);
}

TEST(Discovery, ReportsLoginsThatFail) {
  FakeCluster fake;
  fake.login_fails = {"10.77.0.11:5000", "pg2"};
  const ClusterDescription cluster = fake.discover();
  EXPECT_NE(find_not_reached(cluster, "pg1", "entry point 10.77.0.11:5000"), nullptr) << troubles(cluster);
  EXPECT_NE(find_not_reached(cluster, "pg2", "postgresql"), nullptr);
  EXPECT_EQ(entry_point(cluster, "10.77.0.11:5000").answered_by, "");
  EXPECT_EQ(entry_point(cluster, "10.77.0.11:5001").answered_by, "a server that is none of the members")
      << "pg2's start time is not known, so nobody may be named";
}

TEST(Discovery, SaysWhatTheReadersOfFilesPassedOver) {
  FakeCluster fake;
  fake.files("pg2")["/etc/pgbouncer/pgbouncer.ini"] += "%include /etc/pgbouncer/more.ini\n";
  EXPECT_THAT(fake.discover().remarks, Contains(HasSubstr("pg2, /etc/pgbouncer/pgbouncer.ini: ")));
}

TEST(Discovery, SaysWhichUnitHasFailed) {
  FakeCluster fake;
  fake.units("pg2") = {{"pgbouncer-2.service", "failed"}, {"keepalived.service", "inactive"}};
  EXPECT_THAT(fake.discover().remarks, ElementsAre("pg2: the unit pgbouncer-2 has failed."));
}

TEST(Discovery, KnowsAnOldMasterGroupByPatroni) {
  FakeCluster fake;
  fake.seed.hosts[0].inventory_master = false;
  fake.seed.hosts[2].inventory_master = true;
  const ClusterDescription cluster = fake.discover();
  EXPECT_THAT(cluster.remarks, Contains(HasSubstr("group master names pg3, but pgnode01 on pg1 leads now")));
  EXPECT_THAT(cluster.not_reached, IsEmpty());
}

TEST(Discovery, SaysThatPatroniIsPaused) {
  FakeCluster fake;
  fake.rest_body["10.77.0.11:8008/cluster"] = R"({"members": [], "pause": true})";
  EXPECT_THAT(fake.discover().remarks, Contains(HasSubstr("paused")));
}

TEST(Discovery, KeepsTheAddressThatServicesListenOnApartFromSsh) {
  FakeCluster fake;
  for (HostDescription& host : fake.seed.hosts) host.address = "192.0.2.1" + host.name.substr(2);
  auto& cfg = fake.files("pg1")["/etc/haproxy/haproxy.cfg"];
  cfg.replace(cfg.find("bind 10.77.0.11:5000"), 20, "bind *:5000");
  const ClusterDescription cluster = fake.discover();
  EXPECT_THAT(cluster.not_reached, IsEmpty()) << troubles(cluster);
  EXPECT_EQ(entry_point(cluster, "10.77.0.11:5000").answered_by, "pgnode01");
  EXPECT_EQ(cluster.members[0].host, "pg1");
}

/// The lab's profile `vip`: HAProxy binds only the virtual address, on every host.
void use_virtual_address(FakeCluster& fake) {
  const std::string vip = "10.77.0.100";
  for (const char* host : {"pg1", "pg2", "pg3"}) {
    auto& cfg = fake.files(host)["/etc/haproxy/haproxy.cfg"];
    const std::string own = "bind 10.77.0.1" + std::string{host}.substr(2) + ":500";
    for (auto at = cfg.find(own); at != std::string::npos; at = cfg.find(own)) {
      cfg.replace(at, own.size(), "bind " + vip + ":500");
    }
    fake.files(host)["/etc/keepalived/keepalived.conf"] =
        "vrrp_instance VI_1 {\n  interface eth0\n  virtual_router_id 100\n  advert_int 2\n"
        "  virtual_ipaddress {\n    " +
        vip + "\n  }\n}\n";
  }
  fake.addresses("pg2").insert(vip);
}

TEST(Discovery, KnowsAVirtualAddressAndWhoHoldsIt) {
  FakeCluster fake;
  use_virtual_address(fake);
  const ClusterDescription cluster = fake.discover();
  EXPECT_EQ(cluster.type, DeploymentType::a);
  ASSERT_EQ(cluster.virtual_addresses.size(), 1u);
  EXPECT_THAT(cluster.virtual_addresses[0].holders, ElementsAre("pg2"));
  EXPECT_EQ(cluster.settings.vip_interval.value, 2000ms);

  const auto on_vip =
      std::count_if(cluster.entry_points.begin(), cluster.entry_points.end(),
                    [](const EntryPoint& point) { return point.kind == EntryPointKind::vip; });
  EXPECT_EQ(on_vip, 3) << "each port once, not once for each balancer";
  EXPECT_EQ(entry_point(cluster, "10.77.0.100:5000").answered_by, "pgnode01");
  EXPECT_THAT(cluster.remarks, IsEmpty());
}

TEST(Discovery, RemarksOnAVirtualAddressThatTwoHold) {
  FakeCluster fake;
  use_virtual_address(fake);
  fake.addresses("pg3").insert("10.77.0.100");
  EXPECT_THAT(fake.discover().remarks, Contains(HasSubstr("held by 2 hosts at once")));
}

TEST(Discovery, KnowsAnAddressThatFollowsTheLeader) {
  FakeCluster fake;
  for (const char* host : {"pg1", "pg2", "pg3"}) {
    fake.files(host).erase("/etc/haproxy/haproxy.cfg");
    fake.files(host)["/etc/patroni/vip-manager.yml"] =
        "ip: 10.77.0.200\nnetmask: 24\ninterface: eth0\ntrigger-key: /service/postgres-cluster/leader\n"
        "trigger-value: pgnode01\ndcs-type: etcd\ninterval: 1000\n";
  }
  fake.addresses("pg1").insert("10.77.0.200");
  const ClusterDescription cluster = fake.discover();
  EXPECT_EQ(cluster.type, DeploymentType::b);
  EXPECT_EQ(entry_point(cluster, "10.77.0.200:6432").role, EntryPointRole::primary);
  EXPECT_EQ(cluster.settings.vip_interval.value, 1000ms);
}

TEST(Discovery, KnowsConsulByPatroni) {
  FakeCluster fake;
  for (const char* host : {"pg1", "pg2", "pg3"}) {
    auto& yml = fake.files(host)["/etc/patroni/patroni.yml"];
    const auto from = yml.find("etcd3:");
    yml.replace(from, yml.find("bootstrap:") - from, "consul:\n  host: 127.0.0.1:8500\n");
    fake.files(host).erase("/etc/etcd/etcd.conf");
    fake.files(host).erase("/etc/haproxy/haproxy.cfg");
  }
  const ClusterDescription cluster = fake.discover();
  EXPECT_EQ(cluster.type, DeploymentType::c);
  EXPECT_EQ(cluster.dcs_type, "consul");
  EXPECT_THAT(cluster.not_reached, IsEmpty()) << troubles(cluster);
}

TEST(Discovery, AsksNothingOfAHostOutsideTheInventory) {
  FakeCluster fake;
  fake.seed.hosts.pop_back();
  const ClusterDescription cluster = fake.discover();
  EXPECT_EQ(cluster.members.size(), 3u) << "Patroni names three";
  for (const std::string& command : fake.commands()) EXPECT_THAT(command, ::testing::Not(HasSubstr("pg3:")));
}

TEST(Discovery, NeverPutsASecretIntoWhatPeopleSee) {
  FakeCluster fake;
  fake.login_fails = {"10.77.0.11:5000", "10.77.0.11:6432", "pg1"};
  fake.files("pg2")["/etc/patroni/patroni.yml"] += "  password: [superuser-secret\n";
  const ClusterDescription cluster = fake.discover();
  const std::string text = troubles(cluster);
  EXPECT_FALSE(text.empty());
  for (const char* secret : {"superuser-secret", "rest-secret", "replication-secret", "repository-secret"}) {
    EXPECT_THAT(text, ::testing::Not(HasSubstr(secret)));
    EXPECT_THAT(cluster.repositories.at(0).location, ::testing::Not(HasSubstr(secret)));
  }
}

// ---- Patroni's address alone
// --------------------------------------------------------------------------------------

TEST(DiscoveryByPatroni, IsLimitedToRestAndSaysSo) {
  FakeCluster fake;
  fake.seed = {.source = "https://10.77.0.12:8008", .patroni_url = "https://10.77.0.12:8008"};
  const ClusterDescription cluster = fake.discover();
  EXPECT_THAT(cluster.not_reached, IsEmpty()) << troubles(cluster);
  EXPECT_EQ(cluster.name, "postgres-cluster");
  EXPECT_EQ(cluster.members.size(), 3u);
  EXPECT_EQ(cluster.members[2].patroni_version, "4.0.7");
  EXPECT_EQ(cluster.settings.ttl.value, 30s);
  EXPECT_THAT(cluster.entry_points, IsEmpty());
  EXPECT_THAT(cluster.remarks, Contains(HasSubstr("need an inventory")));
  EXPECT_THAT(fake.commands(), IsEmpty());
}

TEST(DiscoveryByPatroni, ReportsAMemberThatDoesNotAnswer) {
  FakeCluster fake;
  fake.seed = {.source = "https://10.77.0.12:8008", .patroni_url = "https://10.77.0.12:8008"};
  fake.http_down = {"10.77.0.13:8008"};
  const ClusterDescription cluster = fake.discover();
  EXPECT_NE(find_not_reached(cluster, "pgnode03", "patroni"), nullptr);
  EXPECT_EQ(cluster.members.size(), 3u);
}

TEST(DiscoveryByPatroni, ReportsThatNobodyIsThere) {
  FakeCluster fake;
  fake.seed = {.source = "https://10.77.0.12:8008", .patroni_url = "https://10.77.0.12:8008"};
  fake.http_down = {"10.77.0.12:8008"};
  const ClusterDescription cluster = fake.discover();
  EXPECT_NE(find_not_reached(cluster, "", "patroni"), nullptr);
  EXPECT_THAT(cluster.members, IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill
