#include "cluster/config/etcd_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using testing::read_fixture;

EtcdConf parse(const std::string& text) {
  auto conf = parse_etcd_conf(text, "pg1:etcd.conf");
  if (!conf) {
    ADD_FAILURE() << conf.error().message();
    return {};
  }
  return *conf;
}

std::string failure_of(const std::string& text) {
  const auto conf = parse_etcd_conf(text, "pg1:etcd.conf");
  if (conf) return "was read";
  EXPECT_EQ(conf.error().kind, FailureKind::malformed);
  return conf.error().message();
}

TEST(EtcdConf, ReadsWhatIsDeployed) {
  const EtcdConf conf = parse(read_fixture("cluster/data/config/etcd.conf"));
  EXPECT_EQ(conf.name, "pg1");
  EXPECT_THAT(conf.advertised_client_urls, ElementsAre("https://10.77.0.11:2379"));
  EXPECT_THAT(conf.initial_cluster,
              ElementsAre(Pair("pg1", "https://10.77.0.11:2380"), Pair("pg2", "https://10.77.0.12:2380"),
                          Pair("pg3", "https://10.77.0.13:2380")));
  EXPECT_EQ(conf.heartbeat_interval, milliseconds{1'000});
  EXPECT_EQ(conf.election_timeout, milliseconds{5'000});
  EXPECT_TRUE(conf.client_certificate_required);
  EXPECT_EQ(conf.settings.at("DATA_DIR"), "/var/lib/etcd");
}

TEST(EtcdConf, UnquotesAsSystemdDoes) {
  const auto name = [](const std::string& value) { return parse("ETCD_NAME=" + value + "\n").name; };
  EXPECT_EQ(name("pg1"), "pg1");
  EXPECT_EQ(name("  pg1  "), "pg1");
  EXPECT_EQ(name("'pg1'"), "pg1");
  EXPECT_EQ(name("'a\"b'"), "a\"b");
  EXPECT_EQ(name("\"a\\\"b\""), "a\"b");
  EXPECT_EQ(name("\"a\\nb\""), "a\\nb");
  EXPECT_EQ(name("a\\ b"), "a b");
  EXPECT_EQ(name("\"a\"'b'c"), "abc");
  EXPECT_EQ(name("\"\""), "");
  EXPECT_EQ(name("a#b"), "a#b");
}

TEST(EtcdConf, JoinsContinuedLines) {
  const EtcdConf conf = parse("ETCD_INITIAL_CLUSTER=a=x,\\\nb=y\nETCD_NAME=pg1\n");
  EXPECT_THAT(conf.initial_cluster, ElementsAre(Pair("a", "x"), Pair("b", "y")));
  EXPECT_EQ(conf.name, "pg1");
}

TEST(EtcdConf, PassesOverCommentsAndOtherVariables) {
  const EtcdConf conf = parse("# x\n; y\n\nGOMAXPROCS=2\nETCD_NAME=a\nETCD_NAME=b\r\n");
  EXPECT_EQ(conf.name, "b");
  EXPECT_THAT(conf.settings, ElementsAre(Pair("NAME", "b")));
}

TEST(EtcdConf, ATimeThatIsNoneIsAbsent) {
  for (const char* value : {"", "fast", "-1", "1s", "99999999999999999999"}) {
    EXPECT_EQ(parse("ETCD_HEARTBEAT_INTERVAL=" + std::string{value} + "\n").heartbeat_interval, std::nullopt)
        << value;
  }
}

TEST(EtcdConf, NamesTheLineAndNeverItsText) {
  EXPECT_THAT(failure_of("ETCD_NAME=a\nETCD_X=\"sesame\n"), HasSubstr("line 2 has a quote"));
  EXPECT_THAT(failure_of("ETCD_NAME='sesame\n"), Not(HasSubstr("sesame")));
  EXPECT_THAT(failure_of("\nsesame\n"), HasSubstr("line 2 is no assignment"));
  EXPECT_THAT(failure_of("name: sesame=1\n"), HasSubstr("line 1"));  // etcd's YAML form
  EXPECT_THAT(failure_of("A=1\\\n2\nsesame"), HasSubstr("line 3"));
}

}  // namespace
}  // namespace pgfiredrill
