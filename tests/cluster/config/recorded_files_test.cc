/// The files of a real host: what the tests of each reader know from files written by hand must hold there,
/// too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/config/etcd_conf.h"
#include "cluster/config/patroni_yml.h"
#include "cluster/config/pgbouncer_ini.h"
#include "cluster/pgbackrest_info.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using ::testing::IsEmpty;
using testing::read_fixture;
using ::testing::SizeIs;

TEST(RecordedFiles, PatroniYml) {
  const auto patroni = parse_patroni_yml(read_fixture("cluster/data/lab/patroni.yml"), "pg1");
  ASSERT_TRUE(patroni) << patroni.error().message();
  EXPECT_EQ(patroni->scope, "postgres-cluster");
  EXPECT_EQ(patroni->name, "pgnode01");
  EXPECT_EQ(patroni->rest_connect, (Endpoint{"10.77.0.11", 8008}));
  EXPECT_TRUE(patroni->rest_tls);
  EXPECT_EQ(patroni->rest_password, Secret{"example-rest-password"});
  EXPECT_EQ(patroni->dcs_type, "etcd3");
  EXPECT_THAT(patroni->dcs_hosts, SizeIs(3));
  EXPECT_TRUE(patroni->dcs_tls);
  EXPECT_EQ(patroni->superuser_password, Secret{"example-superuser-password"});
  EXPECT_EQ(patroni->replication_password, Secret{"example-replication-password"});
  EXPECT_EQ(patroni->unix_socket_directory, "/var/run/postgresql");
  EXPECT_EQ(patroni->watchdog_mode, "automatic");
  EXPECT_EQ(patroni->tags.at("nofailover"), "false");
}

TEST(RecordedFiles, PgbouncerIni) {
  const auto ini = parse_pgbouncer_ini(read_fixture("cluster/data/lab/pgbouncer.ini"), "pg1");
  ASSERT_TRUE(ini) << ini.error().message();
  EXPECT_THAT(ini->databases, SizeIs(2));
  EXPECT_EQ(ini->listen_port(), 6432);
  EXPECT_EQ(ini->setting("pool_mode"), "session");
  EXPECT_EQ(ini->setting("server_login_retry"), "");
  EXPECT_THAT(ini->remarks, IsEmpty());
}

TEST(RecordedFiles, EtcdConf) {
  const auto conf = parse_etcd_conf(read_fixture("cluster/data/lab/etcd.conf"), "pg1");
  ASSERT_TRUE(conf) << conf.error().message();
  EXPECT_EQ(conf->name, "pgnode01");
  EXPECT_THAT(conf->initial_cluster, SizeIs(3));
  EXPECT_EQ(conf->heartbeat_interval, milliseconds{1'000});
  EXPECT_TRUE(conf->client_certificate_required);
}

TEST(RecordedFiles, PgbackrestInfo) {
  const auto repositories =
      parse_pgbackrest_info(read_fixture("cluster/data/lab/pgbackrest-info.json"), "postgres-cluster", "pg1");
  ASSERT_TRUE(repositories) << repositories.error().message();
  ASSERT_THAT(*repositories, SizeIs(2));
  for (const Repository& repository : *repositories) {
    EXPECT_TRUE(repository.reachable);
    EXPECT_EQ(repository.status, "ok");
    EXPECT_EQ(repository.backups, 1);
    ASSERT_TRUE(repository.last_full);
    EXPECT_EQ(repository.last_full->type, "full");
    EXPECT_GT(repository.last_full->repository_bytes, 4'000'000);
    EXPECT_EQ(repository.archive_min, "000000010000000000000001");
  }
}

}  // namespace
}  // namespace pgfiredrill
