#include "drivers/login_storm.h"

#include <atomic>

#include <gmock/gmock.h>

#include "tests/drivers/crowd_postgres.h"
#include "tests/drivers/recording_fakes.h"
#include "tests/support/loopback_server.h"
#include "tests/support/scripted_postgres.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::CrowdPostgres;
using ::testing::HasSubstr;
using testing::KeepingRecorder;

std::string room(const std::string& allowed, const std::string& used) {
  return testing::wire_rows({"a", "b"}, {{allowed, used}});
}

bool is_room_question(const std::string& sql) {
  return sql.find("max_connections") != std::string::npos;
}

LoginStorm storm_on(int port, int concurrency) {
  LoginStorm storm;
  storm.path.entrypoint = "pg1:5000";
  storm.path.addresses = {{"127.0.0.1", port}};
  storm.access = {.database = "d", .user = "u", .password = Secret{"example-password"}, .sslmode = "disable"};
  storm.concurrency = concurrency;
  storm.duration = 200ms;
  return storm;
}

TEST(LoginStorm, CountsLoginsThatWereAnswered) {
  std::atomic<int> asked{0};
  CrowdPostgres server{[&](const std::string& sql) -> std::optional<std::string> {
    if (is_room_question(sql)) return room("100", "10");
    ++asked;
    return testing::wire_canary_answer("0");
  }};
  SystemClock clock;
  KeepingRecorder recorder;
  const auto rate = storm_logins(storm_on(server.port(), 3), recorder, clock);
  ASSERT_TRUE(rate) << rate.error().message();
  EXPECT_EQ(rate->concurrency, 3);
  EXPECT_EQ(rate->max_connections, 100);
  EXPECT_DOUBLE_EQ(rate->over_s, 0.2);
  EXPECT_GT(rate->logins, 0u);
  // Those that were answered after the end are not counted: at most one for each session.
  EXPECT_LE(rate->logins, static_cast<std::size_t>(asked));
  EXPECT_GE(rate->logins + 3, static_cast<std::size_t>(asked));
  EXPECT_EQ(rate->failed, 0u);
  EXPECT_GT(rate->driver_cpu_s, 0);
}

TEST(LoginStorm, FailuresAreCountedAndDoNotSpin) {
  CrowdPostgres server{[](const std::string& sql) -> std::optional<std::string> {
    if (is_room_question(sql)) return room("100", "10");
    return testing::wire_error("53300", "too many");
  }};
  SystemClock clock;
  KeepingRecorder recorder;
  auto storm = storm_on(server.port(), 2);
  storm.duration = 5s;  // the end is that of patience, long before
  const auto rate = storm_logins(storm, recorder, clock);
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->logins, 0u);
  EXPECT_EQ(rate->failed, 40u);
}

TEST(LoginStorm, LeavesApplicationsHalfOfTheRoom) {
  EXPECT_EQ(bounded_concurrency(16, 100, 10), 16);
  EXPECT_EQ(bounded_concurrency(16, 100, 80), 10);
  EXPECT_EQ(bounded_concurrency(500, 1000, 0), 100);
  EXPECT_EQ(bounded_concurrency(16, 100, 99), 0);
  EXPECT_EQ(bounded_concurrency(16, 100, 300), 0);
}

TEST(LoginStorm, DoesNothingWhereThereIsNoRoom) {
  std::atomic<int> asked{0};
  CrowdPostgres server{[&](const std::string& sql) -> std::optional<std::string> {
    if (is_room_question(sql)) return room("100", "99");
    ++asked;
    return testing::wire_canary_answer("0");
  }};
  SystemClock clock;
  KeepingRecorder recorder;
  const auto rate = storm_logins(storm_on(server.port(), 4), recorder, clock);
  ASSERT_FALSE(rate);
  EXPECT_THAT(rate.error().message(), HasSubstr("99 of 100 connections are in use"));
  EXPECT_EQ(asked, 0);
}

TEST(LoginStorm, SaysWhereNobodyLetsItIn) {
  SystemClock clock;
  KeepingRecorder recorder;
  const auto rate = storm_logins(storm_on(testing::closed_port(), 4), recorder, clock);
  ASSERT_FALSE(rate);
  EXPECT_EQ(rate.error().message().find("example-password"), std::string::npos);
}

}  // namespace
}  // namespace pgfiredrill
