#include "cluster/config/haproxy_values.h"

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;

TEST(HaproxyTime, TakesEveryUnitAndABareNumberAsMilliseconds) {
  EXPECT_EQ(haproxy_time("1500"), milliseconds{1'500});
  EXPECT_EQ(haproxy_time("1500ms"), milliseconds{1'500});
  EXPECT_EQ(haproxy_time("15s"), milliseconds{15'000});
  EXPECT_EQ(haproxy_time("60m"), milliseconds{3'600'000});
  EXPECT_EQ(haproxy_time("2h"), milliseconds{7'200'000});
  EXPECT_EQ(haproxy_time("1d"), milliseconds{86'400'000});
  EXPECT_EQ(haproxy_time("1us"), milliseconds{1});  // rounded up, as HAProxy does it
  EXPECT_EQ(haproxy_time("0"), milliseconds{0});
  EXPECT_EQ(haproxy_time("2147483647"), milliseconds{2'147'483'647});
}

TEST(HaproxyTime, IsAbsentOnAnythingElse) {
  for (const char* text :
       {"", "s", "-1s", "1.5s", "1 s", "1w", "1m30s", "99999999999999999999s", "25d", "2147483648"}) {
    EXPECT_FALSE(haproxy_time(text)) << text;
  }
}

TEST(HaproxyAddress, SplitsAtTheLastColon) {
  EXPECT_EQ(haproxy_address("10.77.0.11:5000").host, "10.77.0.11");
  EXPECT_EQ(haproxy_address("10.77.0.11:5000").port, "5000");
  EXPECT_EQ(haproxy_address(":5000").host, "*");
  EXPECT_EQ(haproxy_address("*:5000").host, "*");
  EXPECT_EQ(haproxy_address(":::5000").host, "::");
  EXPECT_EQ(haproxy_address("[::1]:5000").host, "::1");
  EXPECT_EQ(haproxy_address("[::1]").port, "");
  EXPECT_EQ(haproxy_address("ipv6@::1:5000").host, "::1");
  EXPECT_EQ(haproxy_address("pg1").port, "");
}

TEST(HaproxyAddress, KnowsWhatIsNoNetwork) {
  for (const char* text : {"/run/a.sock", "unix@a.sock", "abns@name", "fd@3", "sockpair@5"}) {
    EXPECT_FALSE(haproxy_address(text).network) << text;
  }
}

TEST(HaproxyPortRange, TakesOnePortOrSeveral) {
  EXPECT_EQ(haproxy_port_range("5000").value().last, 5000);
  EXPECT_EQ(haproxy_port_range("5000-5003").value().first, 5000);
  EXPECT_EQ(haproxy_port_range("5000-5003").value().last, 5003);
  for (const char* text : {"", "0", "65536", "5003-5000", "5000-", "-5000", "a"}) {
    EXPECT_FALSE(haproxy_port_range(text)) << text;
  }
}

}  // namespace
}  // namespace pgfiredrill
