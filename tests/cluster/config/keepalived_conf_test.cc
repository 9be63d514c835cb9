#include "cluster/config/keepalived_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_fixture;
using ::testing::UnorderedElementsAre;

KeepalivedConf parse(const std::string& text) {
  auto conf = parse_keepalived_conf(text, "pg1:keepalived.conf");
  if (!conf) {
    ADD_FAILURE() << conf.error().message();
    return {};
  }
  return *conf;
}

VrrpInstance instance_of(const std::string& text) {
  const KeepalivedConf conf = parse(text);
  if (conf.instances.size() != 1) {
    ADD_FAILURE() << conf.instances.size() << " instances";
    return {};
  }
  return conf.instances.front();
}

std::string failure_of(const std::string& text) {
  const auto conf = parse_keepalived_conf(text, "pg1:keepalived.conf");
  if (conf) return "was read";
  EXPECT_EQ(conf.error().kind, FailureKind::malformed);
  return conf.error().message();
}

TEST(KeepalivedConf, ReadsWhatIsDeployed) {
  const VrrpInstance instance = instance_of(read_fixture("cluster/data/config/keepalived.conf"));
  EXPECT_EQ(instance.name, "VI_1");
  EXPECT_EQ(instance.interface, "eth0");
  EXPECT_EQ(instance.state, "BACKUP");
  EXPECT_EQ(instance.router_id, 100);
  EXPECT_EQ(instance.priority, 100);
  EXPECT_EQ(instance.advert_interval, milliseconds{2'000});
  EXPECT_THAT(instance.addresses, ElementsAre("10.77.0.100"));
  EXPECT_THAT(instance.track_scripts, ElementsAre("haproxy_check"));
}

TEST(KeepalivedConf, TakesBracesAnywhere) {
  const VrrpInstance instance = instance_of(
      "vrrp_instance a\n{\nvirtual_ipaddress{10.77.0.100/24 dev eth0 label eth0:1}\n"
      "track_script { one weight 2\n two }\n state MASTER }\n");
  EXPECT_THAT(instance.addresses, ElementsAre("10.77.0.100"));
  EXPECT_THAT(instance.track_scripts, ElementsAre("one", "two"));
  EXPECT_EQ(instance.state, "MASTER");
}

TEST(KeepalivedConf, TakesEveryAddressWithoutItsPrefixLength) {
  const VrrpInstance instance = instance_of(
      "vrrp_instance a {\n virtual_ipaddress {\n 10.77.0.100/24 brd 10.77.0.255 dev eth0 scope global\n"
      " fd00::100/64\n }\n virtual_ipaddress_excluded {\n 10.77.0.101\n }\n unicast_peer {\n 10.77.0.12\n "
      "}\n}\n");
  EXPECT_THAT(instance.addresses, ElementsAre("10.77.0.100", "fd00::100", "10.77.0.101"));
}

TEST(KeepalivedConf, TakesCommentsAnywhereOutsideQuotes) {
  const VrrpInstance instance = instance_of(
      "! first { line\nvrrp_instance a { # {\n interface eth0!x\n notify \"/a ! b # {\" root\n state "
      "BACKUP\n}\n");
  EXPECT_EQ(instance.interface, "eth0");
  EXPECT_EQ(instance.state, "BACKUP");
}

TEST(KeepalivedConf, ReadsFractionsOfSeconds) {
  const auto interval = [](const std::string& value) {
    return instance_of("vrrp_instance a {\n advert_int " + value + "\n}\n").advert_interval;
  };
  EXPECT_EQ(interval("1"), milliseconds{1'000});
  EXPECT_EQ(interval("0.5"), milliseconds{500});
  EXPECT_EQ(interval("1.25"), milliseconds{1'250});
  EXPECT_EQ(interval("0.0001"), milliseconds{0});
  for (const char* value : {"", "x", "-1", "1.x", "1.-5", "99999999999999999999"}) {
    EXPECT_EQ(interval(value), std::nullopt) << value;
  }
}

TEST(KeepalivedConf, LooksIntoInstancesOnly) {
  const KeepalivedConf conf = parse(
      "vrrp_sync_group g { group { a } }\nvirtual_server 10.77.0.100 5432 { real_server 10.77.0.11 5432 { "
      "weight 1 } }\n"
      "vrrp_instance a { other { virtual_ipaddress { 10.0.0.1 } priority 1 } priority 2 }\n"
      "vrrp_instance b { state BACKUP }\n");
  ASSERT_EQ(conf.instances.size(), 2u);
  EXPECT_THAT(conf.instances[0].addresses, IsEmpty());
  EXPECT_EQ(conf.instances[0].priority, 2);
  EXPECT_EQ(conf.instances[1].state, "BACKUP");
}

TEST(KeepalivedConf, SaysWhatItDoesNotFollow) {
  const KeepalivedConf conf = parse(
      "include /etc/keepalived/conf.d/*.conf\n$VIP=10.77.0.100\n@pg1 vrrp_instance gone {\n"
      "vrrp_instance a {\n virtual_ipaddress {\n ${VIP}/24\n }\n priority $PRIORITY\n}\n");
  ASSERT_EQ(conf.instances.size(), 1u);
  EXPECT_EQ(conf.instances[0].priority, std::nullopt);
  EXPECT_THAT(
      conf.remarks,
      UnorderedElementsAre(HasSubstr("line 1 includes other files"), HasSubstr("line 2 has a definition"),
                           HasSubstr("line 3 depends"), HasSubstr("line 6 uses a definition"),
                           HasSubstr("line 8 uses a definition")));
}

TEST(KeepalivedConf, NamesTheLineOfAnUnbalancedBrace) {
  EXPECT_THAT(failure_of("a {\n}\n}\n"), HasSubstr("line 3 closes a block"));
  EXPECT_THAT(failure_of("a {\n}\nsesame {\nb {\n}\n"), HasSubstr("line 3 opens a block"));
  EXPECT_THAT(failure_of("a\n{\n"), HasSubstr("line 1 opens a block"));
  EXPECT_THAT(failure_of("auth_pass \"sesame\n"), HasSubstr("line 1 has a quote"));
  EXPECT_THAT(failure_of("auth_pass \"sesame\n"), Not(HasSubstr("sesame")));
}

TEST(KeepalivedConf, AnEmptyFileHasNoInstance) {
  EXPECT_THAT(parse("").instances, IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill
