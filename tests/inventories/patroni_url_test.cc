#include <string>

#include <gmock/gmock.h>

#include "inventories/ansible_inventory.h"

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(PatroniUrl, IsCompletedByPatronisPort) {
  EXPECT_EQ(seed_from_patroni_url("https://10.77.0.11")->patroni_url, "https://10.77.0.11:8008");
  EXPECT_EQ(seed_from_patroni_url("http://pg1.example:8009/")->patroni_url, "http://pg1.example:8009");
  EXPECT_EQ(seed_from_patroni_url("http://[fd00::1]")->patroni_url, "http://[fd00::1]:8008");
  EXPECT_THAT(seed_from_patroni_url("http://pg1")->hosts, IsEmpty());
  EXPECT_EQ(seed_from_patroni_url("http://pg1")->source, "http://pg1:8008");
}

TEST(PatroniUrl, IsRefusedWhereItIsNone) {
  for (const char* url :
       {"", "pg1", "10.77.0.11:8008", "ftp://pg1", "https://", "http://pg1:0", "http://pg1:x"}) {
    const auto seed = seed_from_patroni_url(url);
    ASSERT_FALSE(seed) << url;
    EXPECT_EQ(seed.error().kind, FailureKind::malformed);
  }
}

TEST(PatroniUrl, NeverShowsAPassword) {
  for (const char* url :
       {"https://patroni:example-pw@pg1:8008", "patroni:example-pw@pg1", "https://u:example-pw/@pg1"}) {
    const auto seed = seed_from_patroni_url(url);
    ASSERT_FALSE(seed) << url;
    EXPECT_THAT(seed.error().message(), Not(HasSubstr("example-pw")));
    EXPECT_FALSE(seed.error().hint.empty());
  }
}

}  // namespace
}  // namespace pgfiredrill
