#include "cluster/config/patroni_rejoin.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PatroniRejoin, ReadsItsFile) {
  const auto rejoin = parse_patroni_rejoin(R"(
scope: postgres-cluster
bootstrap:
  dcs: {postgresql: {remove_data_directory_on_diverged_timelines: true}}
postgresql:
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: false
  basebackup:
    - max-rate: '100M'
    - checkpoint: fast
)",
                                           "pg1");
  ASSERT_TRUE(rejoin);
  EXPECT_THAT(rejoin->removes_data, ElementsAre("remove_data_directory_on_rewind_failure"))
      << "bootstrap.dcs is not in force";
  EXPECT_EQ(rejoin->basebackup_bytes_per_s, std::int64_t{100} << 20);
  EXPECT_THAT(rejoin->permanent_slots, IsEmpty());
}

TEST(PatroniRejoin, ReadsTheDynamicConfigurationToo) {
  const auto rejoin =
      parse_patroni_rejoin(R"({"ttl":30,"postgresql":{"remove_data_directory_on_diverged_timelines":true,)"
                           R"("basebackup":{"max-rate":2048}},"slots":{"cdc":{"type":"logical"},"b":null}})",
                           "GET /config");
  ASSERT_TRUE(rejoin);
  EXPECT_THAT(rejoin->removes_data, ElementsAre("remove_data_directory_on_diverged_timelines"));
  EXPECT_EQ(rejoin->basebackup_bytes_per_s, std::int64_t{2} << 20);
  EXPECT_THAT(rejoin->permanent_slots, ElementsAre("b", "cdc"));
}

TEST(PatroniRejoin, BelievesNoRateThatIsNone) {
  for (const char* rate : {"fast", "-5M", "0", "M", "99999999999999M", "10G", "[1]"}) {
    const auto rejoin =
        parse_patroni_rejoin(std::string{"postgresql: {basebackup: {max-rate: "} + rate + "}}", "pg1");
    ASSERT_TRUE(rejoin) << rate;
    EXPECT_FALSE(rejoin->basebackup_bytes_per_s) << rate;
  }
  EXPECT_FALSE(parse_patroni_rejoin("postgresql: [", "pg1"));
}

}  // namespace
}  // namespace pgfiredrill
