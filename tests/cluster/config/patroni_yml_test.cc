#include "cluster/config/patroni_yml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using testing::read_fixture;

PatroniYml parse(const std::string& text) {
  auto patroni = parse_patroni_yml(text, "pg1:patroni.yml");
  if (!patroni) {
    ADD_FAILURE() << patroni.error().message();
    return {};
  }
  return *patroni;
}

/// A file with what must be there, and `rest`.
PatroniYml parse_with(const std::string& rest) {
  return parse("scope: lab\nname: pg1\n" + rest);
}

Failure failure_of(const std::string& text) {
  const auto patroni = parse_patroni_yml(text, "pg1:patroni.yml");
  if (patroni) {
    ADD_FAILURE() << "was read";
    return {};
  }
  EXPECT_EQ(patroni.error().kind, FailureKind::malformed);
  return patroni.error();
}

TEST(PatroniYml, ReadsWhatIsDeployed) {
  const PatroniYml patroni = parse(read_fixture("cluster/data/config/patroni.yml"));
  EXPECT_EQ(patroni.scope, "lab");
  EXPECT_EQ(patroni.name, "pg1");
  EXPECT_EQ(patroni.dcs_namespace, "service");
  EXPECT_EQ(patroni.rest_listen, (Endpoint{"0.0.0.0", 8008}));
  EXPECT_EQ(patroni.rest_connect, (Endpoint{"10.77.0.11", 8008}));
  EXPECT_TRUE(patroni.rest_tls);
  EXPECT_EQ(patroni.rest_ca_file, "/etc/tls/ca.crt");
  EXPECT_EQ(patroni.rest_user, "patroni");
  EXPECT_EQ(patroni.rest_password, Secret{"example-rest-password"});
  EXPECT_EQ(patroni.dcs_type, "etcd3");
  EXPECT_THAT(patroni.dcs_hosts, ElementsAre(Endpoint{"10.77.0.11", 2379}, Endpoint{"10.77.0.12", 2379},
                                             Endpoint{"10.77.0.13", 2379}));
  EXPECT_TRUE(patroni.dcs_tls);
  EXPECT_EQ(patroni.dcs_ca_file, "/etc/patroni/tls/etcd/ca.crt");
  EXPECT_EQ(patroni.dcs_certificate_file, "/etc/patroni/tls/etcd/server.crt");
  EXPECT_EQ(patroni.dcs_key_file, "/etc/patroni/tls/etcd/server.key");
  EXPECT_EQ(patroni.dcs_user, "patroni");
  EXPECT_EQ(patroni.dcs_password, Secret{"example-etcd-password"});
  EXPECT_EQ(patroni.postgres_listen, (Endpoint{"0.0.0.0", 5432}));
  EXPECT_EQ(patroni.postgres_connect, (Endpoint{"10.77.0.11", 5432}));
  EXPECT_EQ(patroni.data_directory, "/var/lib/postgresql/17/main");
  EXPECT_EQ(patroni.bin_directory, "/usr/lib/postgresql/17/bin");
  EXPECT_EQ(patroni.config_directory, "/etc/postgresql/17/main");
  EXPECT_EQ(patroni.unix_socket_directory, "/var/run/postgresql");
  EXPECT_EQ(patroni.superuser, "postgres");
  EXPECT_EQ(patroni.superuser_password, Secret{"example-superuser-password"});
  EXPECT_EQ(patroni.superuser_sslmode, "require");
  EXPECT_EQ(patroni.replication_user, "replicator");
  EXPECT_EQ(patroni.replication_password, Secret{"example-replication-password"});
  EXPECT_EQ(patroni.watchdog_mode, "automatic");
  EXPECT_THAT(patroni.tags, ElementsAre(Pair("clonefrom", "false"), Pair("nofailover", "false"),
                                        Pair("noloadbalance", "false"), Pair("nosync", "false")));
}

TEST(PatroniYml, NeedsScopeAndName) {
  EXPECT_THAT(failure_of("scope: lab\n").message(), HasSubstr("'name'"));
  EXPECT_THAT(failure_of("name: pg1\n").message(), HasSubstr("'scope'"));
  EXPECT_THAT(failure_of("scope: [lab]\nname: pg1\n").message(), HasSubstr("'scope'"));
  EXPECT_THAT(failure_of("scope: ~\nname: pg1\n").message(), HasSubstr("'scope'"));
  EXPECT_THAT(failure_of("- scope\n- name\n").message(), HasSubstr("not a mapping"));
  EXPECT_THAT(failure_of("").message(), HasSubstr("not a mapping"));
  EXPECT_THAT(failure_of("# nothing\n").message(), HasSubstr("not a mapping"));
}

TEST(PatroniYml, NamesTheLineAndNeverAValue) {
  const Failure failure = failure_of("scope: lab\nname: pg1\nrestapi:\n  password: 'sesame\n");
  EXPECT_THAT(failure.message(), HasSubstr("pg1:patroni.yml: line "));
  EXPECT_THAT(failure.message(), Not(HasSubstr("sesame")));
  EXPECT_THAT(failure_of("scope: lab\nname: *sesame\n").message(), Not(HasSubstr("sesame")));
  EXPECT_THAT(failure_of("scope: lab\nname: pg1\n\tsesame: 1\n").message(), HasSubstr("line 3"));
}

TEST(PatroniYml, IsMinimal) {
  const PatroniYml patroni = parse_with("");
  EXPECT_EQ(patroni.dcs_namespace, "service");
  EXPECT_EQ(patroni.dcs_type, "");
  EXPECT_EQ(patroni.rest_connect, Endpoint{});
  EXPECT_FALSE(patroni.rest_tls);
  EXPECT_EQ(patroni.watchdog_mode, "");
  EXPECT_THAT(patroni.tags, IsEmpty());
}

TEST(PatroniYml, TakesHostsInEveryForm) {
  const auto hosts = [](const std::string& lines) { return parse_with("etcd3:\n" + lines).dcs_hosts; };
  const Endpoint first{"10.77.0.11", 2379};
  const Endpoint second{"10.77.0.12", 2380};
  EXPECT_THAT(hosts("  hosts: 10.77.0.11:2379, 10.77.0.12:2380\n"), ElementsAre(first, second));
  EXPECT_THAT(hosts("  hosts: '10.77.0.11,10.77.0.12:2380'\n"), ElementsAre(first, second));
  EXPECT_THAT(hosts("  hosts:\n    - 10.77.0.11:2379\n    - '10.77.0.12:2380'\n"),
              ElementsAre(first, second));
  EXPECT_THAT(hosts("  hosts: [10.77.0.11, {a: b}, ~]\n"), ElementsAre(first));
  EXPECT_THAT(hosts("  host: 10.77.0.11\n"), ElementsAre(first));
  EXPECT_THAT(hosts("  host: '[fd00::1]:2379'\n"), ElementsAre(Endpoint{"fd00::1", 2379}));
  EXPECT_THAT(hosts("  url: https://user:pass@10.77.0.11:2379/path\n"), ElementsAre(first));
  EXPECT_THAT(hosts("  proxy: http://10.77.0.11\n"), ElementsAre(first));
  EXPECT_THAT(hosts("  host: 10.77.0.11:nonsense\n"), IsEmpty());
  EXPECT_THAT(hosts("  host: {a: b}\n"), IsEmpty());
}

TEST(PatroniYml, SeesTlsOfTheStoreInEveryForm) {
  EXPECT_FALSE(parse_with("etcd3:\n  host: a\n").dcs_tls);
  EXPECT_TRUE(parse_with("etcd3:\n  host: a\n  protocol: HTTPS\n").dcs_tls);
  EXPECT_TRUE(parse_with("etcd3:\n  url: https://a\n").dcs_tls);
  EXPECT_TRUE(parse_with("consul:\n  host: a\n  scheme: https\n").dcs_tls);
  EXPECT_TRUE(parse_with("zookeeper:\n  hosts: [a]\n  use_ssl: true\n").dcs_tls);
}

TEST(PatroniYml, KnowsTheOtherStores) {
  const PatroniYml consul = parse_with("consul:\n  host: 127.0.0.1\n  port: 8501\n");
  EXPECT_EQ(consul.dcs_type, "consul");
  EXPECT_THAT(consul.dcs_hosts, ElementsAre(Endpoint{"127.0.0.1", 8501}));
  EXPECT_THAT(parse_with("zookeeper:\n  hosts: [a]\n").dcs_hosts, ElementsAre(Endpoint{"a", 2181}));
  EXPECT_EQ(parse_with("raft:\n  self_addr: a\n").dcs_type, "raft");
  EXPECT_EQ(parse_with("kubernetes:\n").dcs_type, "kubernetes");
  // Patroni takes the first that it looks for, wherever it stands.
  EXPECT_EQ(parse_with("etcd3:\n  host: a\netcd:\n  host: b\n").dcs_type, "etcd");
}

TEST(PatroniYml, TakesAddressesInEveryForm) {
  const auto listen = [](const std::string& value) {
    return parse_with("postgresql:\n  listen: " + value + "\n").postgres_listen;
  };
  EXPECT_EQ(listen("'*:5433'"), (Endpoint{"*", 5433}));
  EXPECT_EQ(listen("127.0.0.1,10.77.0.11:5433"), (Endpoint{"127.0.0.1", 5433}));
  EXPECT_EQ(listen("'[::1]:5433'"), (Endpoint{"::1", 5433}));
  EXPECT_EQ(listen("'[::1]'"), (Endpoint{"::1", 5432}));
  EXPECT_EQ(listen("0.0.0.0,::1:5433"), (Endpoint{"0.0.0.0", 5433}));
  EXPECT_EQ(listen("10.77.0.11"), (Endpoint{"10.77.0.11", 5432}));
  EXPECT_EQ(listen("'10.77.0.11:'"), Endpoint{});
  EXPECT_EQ(listen("10.77.0.11:70000"), Endpoint{});
  EXPECT_EQ(listen("[a, b]"), Endpoint{});  // a list
}

TEST(PatroniYml, ConnectsWhereItListensUnlessToldOtherwise) {
  const PatroniYml patroni =
      parse_with("restapi:\n  listen: 10.77.0.11:8009\npostgresql:\n  listen: 10.77.0.11:5433\n");
  EXPECT_EQ(patroni.rest_connect, (Endpoint{"10.77.0.11", 8009}));
  EXPECT_EQ(patroni.postgres_connect, (Endpoint{"10.77.0.11", 5433}));
  const PatroniYml ipv6 = parse_with("restapi:\n  connect_address: '[fd00::1]:8008'\n");
  EXPECT_EQ(ipv6.rest_connect, (Endpoint{"fd00::1", 8008}));
}

TEST(PatroniYml, TakesTheOldRestAuthentication) {
  const PatroniYml patroni = parse_with("restapi:\n  auth: 'patroni:a:b'\n");
  EXPECT_EQ(patroni.rest_user, "patroni");
  EXPECT_EQ(patroni.rest_password, Secret{"a:b"});
}

TEST(PatroniYml, TakesTheFirstSocketDirectory) {
  const auto directory = [](const std::string& value) {
    return parse_with("postgresql:\n  parameters:\n    unix_socket_directories: " + value + "\n")
        .unix_socket_directory;
  };
  EXPECT_EQ(directory("/a, /b"), "/a");
  EXPECT_EQ(directory("\"'/a b', /c\""), "/a b");
  EXPECT_EQ(directory("[/a, /b]"), "/a");
  EXPECT_EQ(directory("''"), "");
  EXPECT_EQ(
      parse_with("bootstrap:\n  dcs:\n    postgresql:\n      parameters: {unix_socket_directories: /x}\n")
          .unix_socket_directory,
      "");
}

TEST(PatroniYml, ReadsTheWatchdogAsPatroniDoes) {
  const auto mode = [](const std::string& value) {
    return parse_with("watchdog:\n  mode: " + value + "\n").watchdog_mode;
  };
  EXPECT_EQ(mode("required"), "required");
  EXPECT_EQ(mode("Automatic"), "automatic");
  EXPECT_EQ(mode("off"), "off");
  EXPECT_EQ(mode("false"), "off");
  EXPECT_EQ(mode("~"), "");
}

TEST(PatroniYml, KeepsTagsOfAnyScalarKind) {
  EXPECT_THAT(
      parse_with("tags:\n  a: true\n  b: 1\n  c: 1.5\n  d: 'x y'\n  e: [1]\n  f: {g: h}\n  i: ~\n  [1]: 2\n")
          .tags,
      ElementsAre(Pair("a", "true"), Pair("b", "1"), Pair("c", "1.5"), Pair("d", "x y")));
}

TEST(PatroniYml, KeepsPasswordsAsTheyAreWritten) {
  const auto password = [](const std::string& value) {
    return parse_with("restapi:\n  authentication:\n    username: u\n    password: " + value + "\n")
        .rest_password;
  };
  EXPECT_EQ(password("007"), Secret{"007"});
  EXPECT_EQ(password("'it''s # ok'"), Secret{"it's # ok"});
  EXPECT_EQ(password("\"a\\\"b\\u00e9\""), Secret{"a\"b\xc3\xa9"});
  EXPECT_EQ(password("{{ lookup }}"), Secret{});  // unrendered Jinja is a mapping
}

}  // namespace
}  // namespace pgfiredrill
