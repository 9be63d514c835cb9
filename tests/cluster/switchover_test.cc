#include <gmock/gmock.h>

#include "cluster/cluster_probe.h"
#include "cluster/json_quote.h"
#include "tests/support/fake_http_client.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::FakeHttpClient;
using ::testing::HasSubstr;
using ::testing::Not;

const PatroniMember kLeader{.name = "pgnode01", .role = "leader", .api_url = "https://10.0.0.1:8008/patroni"};

ClusterDescription cluster() {
  return {.access = {.rest_user = "patroni", .rest_password = Secret{"rest-secret"}}};
}

FakeHttpClient answering(int status, const std::string& body) {
  return FakeHttpClient{[=](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{.status = status, .body = body};
  }};
}

FakeHttpClient failing(FailureKind kind) {
  return FakeHttpClient{[=](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return Failure{.kind = kind, .what = "send", .came_back = "nothing"};
  }};
}

TEST(Switchover, IsAskedOfTheLeaderWithCredentials) {
  FakeHttpClient http{[](const HttpAddress& address, const HttpRequest&) -> Result<HttpResponse> {
    EXPECT_EQ(address.url(), "https://10.0.0.1:8008");
    return HttpResponse{.status = 200, .body = "Successfully switched over to \"pgnode02\""};
  }};
  const auto answer = request_switchover(cluster(), http, kLeader, "pgnode02", 30s);
  ASSERT_TRUE(answer.has_value());
  EXPECT_THAT(*answer, HasSubstr("switched over to \"pgnode02\""));
  const HttpRequest request = http.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/switchover");
  EXPECT_EQ(request.body, R"({"leader":"pgnode01","candidate":"pgnode02"})");
  EXPECT_EQ(request.user, "patroni");
  EXPECT_EQ(request.password, Secret{"rest-secret"});
  EXPECT_EQ(request.deadline, 30s);
}

TEST(Switchover, LeavesTheCandidateToPatroni) {
  FakeHttpClient http = answering(200, "ok");
  (void)request_switchover(cluster(), http, kLeader, "", 30s);
  EXPECT_EQ(http.requests().at(0).body, R"({"leader":"pgnode01"})");
}

TEST(Switchover, IsDeniedWithoutTheRightCredentials) {
  for (const int status : {401, 403}) {
    FakeHttpClient http = answering(status, "no auth header received");
    const auto answer = request_switchover(cluster(), http, kLeader, "", 30s);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, FailureKind::denied);
    EXPECT_FALSE(answer.error().transaction_in_doubt);
    EXPECT_THAT(answer.error().message(), Not(HasSubstr("rest-secret")));
  }
}

TEST(Switchover, KeepsWhatPatroniSays) {
  FakeHttpClient impossible =
      answering(412, "switchover is not possible: no good candidates have been found");
  const auto refused = request_switchover(cluster(), impossible, kLeader, "", 30s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FailureKind::failed);
  EXPECT_THAT(refused.error().came_back, HasSubstr("412 (switchover is not possible: no good candidates"));
  EXPECT_FALSE(refused.error().transaction_in_doubt) << "it was never registered";

  FakeHttpClient unknown = answering(503, "Switchover status unknown");
  const auto doubtful = request_switchover(cluster(), unknown, kLeader, "", 30s);
  ASSERT_FALSE(doubtful);
  EXPECT_THAT(doubtful.error().came_back, HasSubstr("Switchover status unknown"));
  EXPECT_TRUE(doubtful.error().transaction_in_doubt);
}

TEST(Switchover, MayHaveTakenWhereTheAnswerNeverCame) {
  for (const auto kind : {FailureKind::timed_out, FailureKind::malformed}) {
    FakeHttpClient http = failing(kind);
    EXPECT_TRUE(request_switchover(cluster(), http, kLeader, "", 30s).error().transaction_in_doubt);
  }
  for (const auto kind : {FailureKind::unreachable, FailureKind::untrusted}) {
    FakeHttpClient http = failing(kind);
    EXPECT_FALSE(request_switchover(cluster(), http, kLeader, "", 30s).error().transaction_in_doubt);
  }
}

TEST(Switchover, NeedsAnAddress) {
  FakeHttpClient http = answering(200, "ok");
  EXPECT_FALSE(request_switchover(cluster(), http, {.name = "x", .api_url = "nonsense"}, "", 30s));
  EXPECT_TRUE(http.requests().empty());
}

TEST(MayWeSwitchOver, AsksWithoutNamingALeader) {
  FakeHttpClient http = answering(400, "Switchover could be performed only from a specific leader");
  EXPECT_TRUE(may_switch_over(cluster(), http, kLeader).has_value());
  EXPECT_EQ(http.requests().at(0).body, R"({"leader":""})") << "nothing that could be carried out";
}

TEST(MayWeSwitchOver, SaysWhyNot) {
  FakeHttpClient unauthorized = answering(401, "no auth header received");
  EXPECT_EQ(may_switch_over(cluster(), unauthorized, kLeader).error().kind, FailureKind::denied);
  FakeHttpClient somebody_else = answering(400, "<html>Bad request</html>");
  EXPECT_FALSE(may_switch_over(cluster(), somebody_else, kLeader)) << "not Patroni's sentence";
  FakeHttpClient silent = failing(FailureKind::timed_out);
  EXPECT_EQ(may_switch_over(cluster(), silent, kLeader).error().kind, FailureKind::timed_out);
}

TEST(JsonQuote, WritesAnyTextAsValidJson) {
  EXPECT_EQ(json_quote("a\"b\\\n"), R"("a\"b\\\n")");
  EXPECT_EQ(json_quote("\xff"), "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace pgfiredrill
