#include "cluster/config/vip_manager_yml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_fixture;

VipManagerYml parse(const std::string& text) {
  auto yml = parse_vip_manager_yml(text, "pg1:vip-manager.yml");
  if (!yml) {
    ADD_FAILURE() << yml.error().message();
    return {};
  }
  return *yml;
}

TEST(VipManagerYml, ReadsWhatIsDeployed) {
  const VipManagerYml yml = parse(read_fixture("cluster/data/config/vip-manager.yml"));
  EXPECT_EQ(yml.address, "10.77.0.100");
  EXPECT_EQ(yml.interface, "eth0");
  EXPECT_EQ(yml.trigger_key, "/service/lab/leader");
  EXPECT_EQ(yml.trigger_value, "pg1");
  EXPECT_EQ(yml.dcs_type, "etcd");
  EXPECT_EQ(yml.interval, milliseconds{1'000});
}

TEST(VipManagerYml, TakesTheNamesOfOlderReleases) {
  const VipManagerYml yml = parse("ip: a\niface: eth1\nkey: /k\nnodename: pg2\nendpoint_type: consul\n");
  EXPECT_EQ(yml.interface, "eth1");
  EXPECT_EQ(yml.trigger_key, "/k");
  EXPECT_EQ(yml.trigger_value, "pg2");
  EXPECT_EQ(yml.dcs_type, "consul");
  // What add_node leaves behind: the old names beside the new ones, which count.
  EXPECT_EQ(parse("trigger-value: pg1\nnodename: pg2\n").trigger_value, "pg1");
}

TEST(VipManagerYml, ValuesOfUnexpectedKindAreAbsent) {
  const VipManagerYml yml = parse("ip: [a]\ninterval: soon\ntrigger-value: 200\n");
  EXPECT_EQ(yml.address, "");
  EXPECT_EQ(yml.interval, std::nullopt);
  EXPECT_EQ(yml.trigger_value, "200");  // of dcs-type patroni
}

TEST(VipManagerYml, RefusesWhatIsNoMappingAndShowsNothingOfIt) {
  const auto yml = parse_vip_manager_yml("- sesame\n", "pg1:vip-manager.yml");
  ASSERT_FALSE(yml);
  EXPECT_EQ(yml.error().kind, FailureKind::malformed);
  EXPECT_THAT(yml.error().message(), HasSubstr("not a mapping"));
  EXPECT_THAT(yml.error().message(), Not(HasSubstr("sesame")));
}

}  // namespace
}  // namespace pgfiredrill
