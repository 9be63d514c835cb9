#include "cluster/patroni_action.h"

#include <gmock/gmock.h>

#include "tests/support/fake_http_client.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::FakeHttpClient;
using ::testing::HasSubstr;
using ::testing::Not;

const PatroniMember kMember{.name = "pgnode01", .api_url = "https://10.0.0.1:8008/patroni"};

ClusterDescription cluster() {
  ClusterDescription description;
  description.access.rest_user = "patroni";
  description.access.rest_password = Secret{"rest-secret"};
  return description;
}

FakeHttpClient answering(int status, const std::string& body) {
  return FakeHttpClient{
      [=](const HttpAddress&, const HttpRequest&) { return HttpResponse{.status = status, .body = body}; }};
}

TEST(PatroniAction, ShowsWhatIsSent) {
  EXPECT_EQ(words_of(switch_over("pgnode01", ""), kMember),
            R"(POST https://10.0.0.1:8008/switchover {"leader":"pgnode01"})");
  EXPECT_EQ(
      words_of(switch_over("pgnode01", "pgnode02", "2026-12-01T02:00:00+00:00"), kMember),
      R"(POST https://10.0.0.1:8008/switchover {"leader":"pgnode01","candidate":"pgnode02","scheduled_at":"2026-12-01T02:00:00+00:00"})");
  EXPECT_EQ(words_of(cancel_switchover(), kMember), "DELETE https://10.0.0.1:8008/switchover");
  EXPECT_EQ(words_of(restart_member("pgnode01"), kMember), "POST https://10.0.0.1:8008/restart {}");
}

// With a leader's name Patroni would take it for a switchover.
TEST(PatroniAction, FailsOverWithoutNamingALeader) {
  EXPECT_EQ(fail_over("pgnode02").body, R"({"candidate":"pgnode02"})");
}

TEST(PatroniAction, QuotesNamesThatCameFromElsewhere) {
  EXPECT_EQ(fail_over(R"(a","leader":"b)").body, R"({"candidate":"a\",\"leader\":\"b"})");
}

TEST(PatroniAction, SendsCredentialsAndShowsNone) {
  FakeHttpClient http = answering(200, "restarted successfully");
  ASSERT_TRUE(ask_patroni(cluster(), http, kMember, restart_member("pgnode01"), 7s));
  const HttpRequest request = http.requests().at(0);
  EXPECT_EQ(request.user, "patroni");
  EXPECT_EQ(request.path, "/restart");
  EXPECT_EQ(request.deadline, 7s);
  EXPECT_THAT(words_of(restart_member("pgnode01"), kMember), Not(HasSubstr("secret")));
}

// Each action has its own yes: a schedule is only accepted (202), and that nothing was scheduled is no
// trouble to whoever cancels.
TEST(PatroniAction, KnowsWhichStatusSaysYes) {
  const auto with = [](int status, const PatroniAction& action) {
    FakeHttpClient http = answering(status, "text");
    return ask_patroni(cluster(), http, kMember, action, 1s).has_value();
  };
  EXPECT_TRUE(with(202, switch_over("pgnode01", "", "2026-12-01T02:00:00+00:00")));
  EXPECT_FALSE(with(200, switch_over("pgnode01", "", "2026-12-01T02:00:00+00:00")));
  EXPECT_TRUE(with(404, cancel_switchover()));
  EXPECT_FALSE(with(409, cancel_switchover()));
  EXPECT_FALSE(with(202, reinitialize_member("pgnode01")));
}

TEST(PatroniAction, TellsWhatMayGoOnAllTheSame) {
  FakeHttpClient unknown = answering(503, "Failover status unknown");
  const auto doubtful = ask_patroni(cluster(), unknown, kMember, fail_over("pgnode02"), 1s);
  EXPECT_TRUE(doubtful.error().transaction_in_doubt);
  EXPECT_THAT(doubtful.error().message(), HasSubstr("status unknown"));
  FakeHttpClient refusing = answering(412, "failover is not possible");
  EXPECT_FALSE(
      ask_patroni(cluster(), refusing, kMember, fail_over("pgnode02"), 1s).error().transaction_in_doubt);
  FakeHttpClient away{[](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return Failure{.kind = FailureKind::unreachable};
  }};
  EXPECT_FALSE(ask_patroni(cluster(), away, kMember, fail_over("pgnode02"), 1s).error().transaction_in_doubt);
  FakeHttpClient silent{[](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return Failure{.kind = FailureKind::timed_out};
  }};
  EXPECT_TRUE(
      ask_patroni(cluster(), silent, kMember, fail_over("pgnode02"), 1s).error().transaction_in_doubt);
}

}  // namespace
}  // namespace pgfiredrill
