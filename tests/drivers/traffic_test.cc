#include "drivers/traffic.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "tests/drivers/crowd_postgres.h"
#include "tests/drivers/recording_fakes.h"
#include "tests/support/loopback_server.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::CrowdPostgres;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeepingRecorder;
using ::testing::SizeIs;
using testing::wire_answer;

std::optional<std::string> primary(const std::string& sql) {
  return wire_answer(sql.starts_with("INSERT") ? "INSERT 0 1" : "SELECT 1");
}

TrafficPath path(const std::string& id, std::vector<int> ports, SessionKind session,
                 Purpose purpose = Purpose::canary) {
  TrafficPath made{.id = id, .session = session, .purpose = purpose, .rate_hz = 50, .write_rate_hz = 10};
  for (const int port : ports) made.addresses.push_back({"127.0.0.1", port});
  return made;
}

TrafficOptions options_for(std::vector<TrafficPath> paths) {
  return {.paths = std::move(paths),
          .access = {.database = "d",
                     .user = "traffic",
                     .password = Secret{"example-password"},
                     .sslmode = "disable"},
          .ledger_connections = 2};
}

std::map<int, std::vector<Operation>> by_path(const KeepingRecorder& recorder) {
  std::map<int, std::vector<Operation>> sorted;
  for (const Operation& operation : recorder.done()) sorted[operation.path].push_back(operation);
  return sorted;
}

TEST(Traffic, CarriesWhatIsDueOverEveryKindOfPath) {
  CrowdPostgres server{primary};
  SystemClock clock;
  KeepingRecorder recorder;
  auto traffic =
      Traffic::create(options_for({path("pooled", {server.port()}, SessionKind::pooled),
                                   path("fresh", {server.port()}, SessionKind::fresh),
                                   path("list", {testing::closed_port(), server.port()}, SessionKind::fresh),
                                   path("ledger", {server.port()}, SessionKind::pooled, Purpose::ledger)}),
                      recorder, clock);
  ASSERT_TRUE(traffic) << traffic.error().message();
  EXPECT_THAT((*traffic)->warm_up(5s), IsEmpty());
  EXPECT_THAT(recorder.operations(), IsEmpty()) << "a warm-up is no operation of the run";
  (*traffic)->start(5);
  clock.sleep_for(500ms);
  (*traffic)->stop();
  const auto settled = recorder.operations().size();
  (*traffic)->disconnect();

  for (const auto& [number, operations] : by_path(recorder)) {
    EXPECT_GE(operations.size(), 15u) << number;
    EXPECT_LE(operations.size(), 30u) << number;
    const auto good = std::count_if(operations.begin(), operations.end(),
                                    [](const Operation& one) { return one.acknowledged(); });
    EXPECT_EQ(good, static_cast<int>(operations.size())) << number;
  }
  EXPECT_THAT(by_path(recorder), SizeIs(4));
  EXPECT_EQ(recorder.operations().size(), settled) << "nothing comes after stop has returned";
  EXPECT_THAT(recorder.events(event::kServerSeen), SizeIs(1));
  EXPECT_THAT(recorder.events(event::kTrafficStarted), SizeIs(1));
  EXPECT_THAT(recorder.events(event::kTrafficStopped), SizeIs(1));
  const auto started = recorder.events(event::kTrafficStarted)[0].at;
  for (const Operation& operation : recorder.done()) EXPECT_GE(operation.due, started);
}

TEST(Traffic, NamesThePathsThatCannotBeWarmedUp) {
  CrowdPostgres standby{[](const std::string&) { return wire_answer("SELECT 1", true); }};
  SystemClock clock;
  KeepingRecorder recorder;
  auto traffic = Traffic::create(options_for({path("refused", {testing::closed_port()}, SessionKind::pooled),
                                              path("misled", {standby.port()}, SessionKind::fresh)}),
                                 recorder, clock);
  ASSERT_TRUE(traffic);
  const auto troubles = (*traffic)->warm_up(2s);
  ASSERT_THAT(troubles, SizeIs(2));
  EXPECT_EQ(troubles[0].path, "misled");
  EXPECT_THAT(troubles[0].text, HasSubstr("misrouted"));
  EXPECT_EQ(troubles[1].path, "refused");
  EXPECT_THAT(troubles[1].text, HasSubstr("refused"));
}

TEST(Traffic, AFreshSessionThatNobodyAnswersEndsAtItsDeadline) {
  const testing::LoopbackServer silent{[](int socket) { (void)testing::read_request_head(socket); }};
  SystemClock clock;
  KeepingRecorder recorder;
  TrafficPath lonely = path("fresh", {silent.port()}, SessionKind::fresh);
  lonely.rate_hz = 1;
  lonely.deadline = 300ms;
  auto traffic = Traffic::create(options_for({lonely}), recorder, clock);
  ASSERT_TRUE(traffic);
  (*traffic)->start(0);
  clock.sleep_for(100ms);
  (*traffic)->stop();
  const auto done = recorder.done();
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_TRUE(done[0].at_login);
  EXPECT_TRUE(done[0].error.is(Trouble::login_timeout));
  EXPECT_EQ(done[0].outcome, Outcome::failed);
  EXPECT_GE(*done[0].done_after, nanoseconds{300ms});
}

TEST(Traffic, FailsWhereNothingCanBeRecorded) {
  SystemClock clock;
  KeepingRecorder recorder;
  recorder.refuse("connector-0");
  EXPECT_FALSE(Traffic::create(options_for({}), recorder, clock));
}

TEST(Traffic, CanBeAbandonedAtAnyMoment) {
  CrowdPostgres server{[](const std::string&) { return std::nullopt; }};
  SystemClock clock;
  KeepingRecorder recorder;
  {
    auto traffic = Traffic::create(options_for({path("pooled", {server.port()}, SessionKind::pooled),
                                                path("fresh", {server.port()}, SessionKind::fresh)}),
                                   recorder, clock);
    ASSERT_TRUE(traffic);
    (*traffic)->start(0);
    clock.sleep_for(200ms);
  }
  EXPECT_FALSE(recorder.done().empty()) << "each has an outcome all the same";
}

}  // namespace
}  // namespace pgfiredrill
