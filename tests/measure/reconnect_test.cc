#include "measure/reconnect.h"

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

Event rate(const char* layer, std::int64_t concurrency, std::int64_t logins, double cpu_s = 1,
           std::int64_t failed = 0) {
  return {.kind = event::kReconnectRate,
          .fields = {{"layer", std::string{layer}},
                     {"entrypoint", std::string{"pg1:5000"}},
                     {"concurrency", concurrency},
                     {"over_s", 2.0},
                     {"logins", logins},
                     {"failed", failed},
                     {"driver_cpu_s", cpu_s},
                     {"threads", std::int64_t{2}},
                     {"max_connections", std::int64_t{500}}}};
}

TEST(ReconnectCapacity, IsTheBestOfTheConcurrenciesTried) {
  const auto found =
      find_reconnect_capacity({rate("balancer", 4, 200, 1, 1), rate("balancer", 16, 250, 3.5, 2),
                               rate("balancer", 32, 240), rate("server", 4, 400)});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].layer, Layer::balancer);
  EXPECT_EQ(found[0].entrypoint, "pg1:5000");
  EXPECT_DOUBLE_EQ(found[0].logins_per_s, 125);
  EXPECT_EQ(found[0].concurrency, 16u);
  EXPECT_EQ(found[0].failed, 3u);
  EXPECT_TRUE(found[0].limited_by_driver);
  EXPECT_EQ(found[0].sessions, 500u);
  EXPECT_DOUBLE_EQ(found[0].sessions_back_s.value(), 4);
  EXPECT_EQ(found[1].layer, Layer::postgres);
  EXPECT_FALSE(found[1].limited_by_driver);
}

TEST(ReconnectCapacity, DriverLimitsAboveEightyFivePercentOfItsThreads) {
  EXPECT_FALSE(find_reconnect_capacity({rate("pooler", 4, 10, 3.4)})[0].limited_by_driver);
  EXPECT_TRUE(find_reconnect_capacity({rate("pooler", 4, 10, 3.41)})[0].limited_by_driver);
}

TEST(ReconnectCapacity, NothingIsMadeUp) {
  Event without_sessions = rate("pooler", 4, 100);
  without_sessions.fields.erase("max_connections");
  auto found = find_reconnect_capacity({without_sessions});
  EXPECT_FALSE(found[0].sessions);
  EXPECT_FALSE(found[0].sessions_back_s);
  found = find_reconnect_capacity({rate("pooler", 4, 0, 0, 20)});
  EXPECT_EQ(found[0].logins_per_s, 0);
  EXPECT_FALSE(found[0].sessions_back_s);
}

TEST(ReconnectCapacity, PassesOverWhatItDoesNotKnow) {
  Event no_time = rate("pooler", 4, 100);
  no_time.fields["over_s"] = 0.0;
  EXPECT_TRUE(find_reconnect_capacity({rate("cloud", 4, 100), no_time, {.kind = event::kRemark}}).empty());
}

}  // namespace
}  // namespace pgfiredrill
