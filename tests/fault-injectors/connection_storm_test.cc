#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "fault-injectors/own_sessions.h"
#include "fault-injectors/storm_sessions.h"
#include "tests/fault-injectors/fake_drill.h"
#include "tests/support/scripted_postgres.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using testing::FakeDrill;
using ::testing::HasSubstr;
using testing::ScriptedPostgres;
using testing::wire_error;
using testing::wire_rows;

constexpr const char* kKind = "connection-storm";

std::optional<std::string> answer_at_once(const std::string& sql) {
  if (sql.find("pg_sleep") != std::string::npos) return std::nullopt;  // it sleeps for longer than the test
  return wire_rows({"one"}, {{"1"}});
}

ConnectParameters way_to(const ScriptedPostgres& server) {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = server.port();
  parameters.user = "pgfiredrill_traffic";
  parameters.sslmode = "disable";
  return parameters;
}

/// Waits for what threads do, in steps far below its limit.
template <typename Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(StormSessions, AreServedAndThenSleepInTheServer) {
  ScriptedPostgres server{answer_at_once};
  const StormSessions storm{way_to(server), 1};
  ASSERT_TRUE(comes_true([&] { return server.statements().size() == 2; }));
  EXPECT_EQ(storm.count().served, 1);
  EXPECT_THAT(server.statements()[1], HasSubstr("pg_sleep")) << "work would outlive a dead postmaster";
}

TEST(StormSessions, TellThoseThatAPoolerKeepsWaiting) {
  ScriptedPostgres server{[](const std::string&) { return std::nullopt; }};
  const StormSessions storm{way_to(server), 1};
  EXPECT_TRUE(comes_true([&] { return storm.count().waiting == 1; }));
  EXPECT_EQ(storm.count().served, 0);
}

TEST(StormSessions, TellARefusalInTheServersWords) {
  ScriptedPostgres server{
      [](const std::string&) { return wire_error("53300", "sorry, too many clients already", "FATAL"); }};
  const StormSessions storm{way_to(server), 1};
  EXPECT_TRUE(comes_true([&] { return !storm.count().refusal.empty(); }));
  EXPECT_EQ(storm.count().refused, 1);
  EXPECT_THAT(storm.count().refusal, HasSubstr("too many clients"));
}

class ConnectionStorm : public ::testing::Test {
 protected:
  std::unique_ptr<Fault> make(const std::string& sessions) {
    traffic_ = way_to(server_);
    drill_.cluster.entry_points = {{.role = EntryPointRole::primary,
                                    .host = "pg1",
                                    .address = {.host = "127.0.0.1", .port = server_.port()}}};
    Tools tools = drill_.tools();
    tools.traffic = &traffic_;
    return find_fault_kind(kKind)->make(
        {.kind = kKind, .target = "leader", .options = {{"sessions", sessions}}}, tools);
  }

  FakeDrill drill_;
  ConnectParameters traffic_;
  ScriptedPostgres server_{answer_at_once};
};

TEST_F(ConnectionStorm, AsksForMoreThanThePoolHas) {
  const auto fault = make("pool");
  EXPECT_THAT(fault->aim(drill_.probe.now).error().message(), HasSubstr("default_pool_size"));
  drill_.cluster.settings.default_pool_size.value = 100;
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  EXPECT_THAT(fault->describe().at(0), HasSubstr("110 sessions"));
  EXPECT_EQ(fault->target(), "pgnode01");
}

TEST_F(ConnectionStorm, StaysWithinWhatThisProcessMayOpen) {
  const auto failure = make("2000000")->aim(drill_.probe.now).error();
  EXPECT_THAT(failure.message(), HasSubstr("ulimit"));
}

TEST_F(ConnectionStorm, IsNotProvenBeforeItBegan) {
  const auto fault = make("1");
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  EXPECT_FALSE(fault->verify(2s).took);
  EXPECT_FALSE(fault->verify_held().took);
}

// The simulated clock makes no time pass for the storm's threads: the test waits for them itself.
TEST_F(ConnectionStorm, IsProvenWhenAllStand) {
  const auto fault = make("1");
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  ASSERT_TRUE(fault->inject());
  ASSERT_TRUE(comes_true([&] { return server_.statements().size() == 2; }));
  const Evidence evidence = fault->verify(2s);
  EXPECT_TRUE(evidence.took);
  EXPECT_THAT(evidence.sentence, HasSubstr("1 of 1 sessions are served"));
  EXPECT_TRUE(fault->verify_held().took);
  ASSERT_TRUE(fault->revert());
  EXPECT_FALSE(fault->verify_held().took) << "the sessions are closed";
}

// One that nobody answers is neither: whether the ceiling is met shows only when each has come to its place.
TEST_F(ConnectionStorm, IsNotProvenWhileALoginIsUnderWay) {
  const auto fault = make("2");  // the server takes one client after the other
  ASSERT_TRUE(fault->aim(drill_.probe.now));
  ASSERT_TRUE(fault->inject());
  ASSERT_TRUE(comes_true([&] { return server_.statements().size() == 2; }));
  const Evidence evidence = fault->verify(2s);
  EXPECT_FALSE(evidence.took);
  EXPECT_THAT(evidence.sentence, HasSubstr("1 are not logged in yet"));
}

}  // namespace
}  // namespace pgfiredrill::fault
