#include "cluster/etcd_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_http_client.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using testing::FakeHttpClient;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_fixture;

FakeHttpClient answering(int status, const std::string& body) {
  return FakeHttpClient{[=](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{.status = status, .headers = {}, .body = body};
  }};
}

EtcdClient client_on(FakeHttpClient& http) {
  return {http, HttpAddress{.tls = true, .host = "10.77.0.11", .port = 2379}, TlsIdentity{}, "pg1"};
}

TEST(EtcdStatus, SaysWhoLeads) {
  const auto status = parse_etcd_status(read_fixture("cluster/data/etcd_status.json"), "pg1").value();
  EXPECT_EQ(status.version, "3.5.16");
  EXPECT_EQ(status.member_id, "5187941446908631394");
  EXPECT_EQ(status.leader_id, "14362667620480078420");
  EXPECT_EQ(status.database_bytes, 61440);
  EXPECT_EQ(status.raft_term, 5);
  EXPECT_THAT(status.errors, IsEmpty());
}

// The gateway leaves out what is zero: no leader is a field that is not there.
TEST(EtcdStatus, SaysThatNobodyLeads) {
  const auto status =
      parse_etcd_status(read_fixture("cluster/data/etcd_status_3_6_alarm.json"), "pg1").value();
  EXPECT_EQ(status.leader_id, "");
  EXPECT_EQ(status.database_bytes, 2147483648);
  EXPECT_THAT(status.errors, ElementsAre(HasSubstr("no leader"), HasSubstr("NOSPACE")));
}

TEST(EtcdMembers, ListsThemWithWhatEachHas) {
  const auto members = parse_etcd_members(read_fixture("cluster/data/etcd_members.json"), "pg1").value();
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].id, "5187941446908631394");
  EXPECT_EQ(members[0].name, "pgnode01");
  EXPECT_THAT(members[0].client_urls, ElementsAre("https://10.77.0.11:2379"));
  EXPECT_THAT(members[0].peer_urls, ElementsAre("https://10.77.0.11:2380"));
  EXPECT_FALSE(members[0].learner);
}

TEST(EtcdMembers, KnowOneThatWasAddedAndNeverStarted) {
  const auto members =
      parse_etcd_members(
          R"({"header":{},"members":[{"ID":"7","peerURLs":["https://10.77.0.14:2380"],"isLearner":true}]})",
          "pg1")
          .value();
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].name, "");
  EXPECT_THAT(members[0].client_urls, IsEmpty());
  EXPECT_TRUE(members[0].learner);
}

TEST(EtcdRange, DecodesKeysAndValues) {
  const auto pairs = parse_etcd_range(read_fixture("cluster/data/etcd_range.json"), "pg1").value();
  ASSERT_EQ(pairs.size(), 9U);
  EXPECT_EQ(pairs[3].key, "/service/postgres-cluster/initialize");
  EXPECT_EQ(pairs[3].value, "7713996152791962999");
  EXPECT_EQ(pairs[3].lease, 0);
  EXPECT_GT(pairs[3].mod_revision, 0);
  EXPECT_EQ(pairs[4].key, "/service/postgres-cluster/leader");
  EXPECT_EQ(pairs[4].value, "pgnode01");
  EXPECT_EQ(pairs[4].lease, 7426614100693025291);
}

TEST(EtcdRange, IsEmptyWhereThereIsNoKey) {
  EXPECT_THAT(parse_etcd_range(R"({"header":{"member_id":"1"}})", "pg1").value(), IsEmpty());
  const auto empty_value =
      parse_etcd_range(R"({"header":{},"kvs":[{"key":"YQ==","mod_revision":"1"}]})", "pg1");
  EXPECT_EQ(empty_value.value().front().value, "");
}

TEST(EtcdAnswers, AreRefusedWhereTheyAreSomebodyElses) {
  for (const char* body :
       {"", "<html>", "{", "[]", "{}", R"({"members":[],"scope":"firedrill"})",
        R"({"header":{"member_id":"1"},"version":3,"errors":7})",
        R"({"header":{},"kvs":[{"key":"not base64"}],"members":[{"ID":[]}]})",
        R"({"header":{},"kvs":[{"key":"YQ==","mod_revision":"99999999999999999999"}],"members":7})"}) {
    const auto status = parse_etcd_status(body, "pg1");
    const auto members = parse_etcd_members(body, "pg1");
    ASSERT_FALSE(status) << body;
    EXPECT_EQ(status.error().kind, FailureKind::malformed) << body;
    ASSERT_FALSE(members) << body;
    EXPECT_EQ(members.error().kind, FailureKind::malformed) << body;
  }
}

TEST(EtcdRange, RefusesWhatItCannotDecode) {
  for (const char* kvs : {R"([{"key":"not base64","value":"YQ=="}])", R"([{"key":"YQ==","value":"Y"}])",
                          R"([{"key":"YQ==","mod_revision":"99999999999999999999"}])", R"([7])", "{}"}) {
    const auto pairs = parse_etcd_range(std::string{R"({"header":{},"kvs":)"} + kvs + "}", "pg1");
    ASSERT_FALSE(pairs) << kvs;
    EXPECT_EQ(pairs.error().kind, FailureKind::malformed) << kvs;
  }
}

TEST(EtcdClient, AsksForEveryKeyThatBeginsWithThePrefix) {
  FakeHttpClient http = answering(200, read_fixture("cluster/data/etcd_range.json"));
  EXPECT_EQ(client_on(http).range("/service/firedrill/").value().size(), 9U);
  ASSERT_EQ(http.requests().size(), 1U);
  const HttpRequest request = http.requests().front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v3/kv/range");
  // "/service/firedrill/" and "/service/firedrill0"
  EXPECT_EQ(
      request.body,
      R"({"key":"L3NlcnZpY2UvZmlyZWRyaWxsLw==","range_end":"L3NlcnZpY2UvZmlyZWRyaWxsMA==","limit":"1000"})");
}

// The end of a range is not always the prefix with its last byte raised.
TEST(EtcdClient, EndsARangeBehindThePrefix) {
  FakeHttpClient http = answering(500, "");
  const EtcdClient client = client_on(http);
  (void)client.range("");
  (void)client.range("a\xff");
  (void)client.range("\xff\xff");
  const auto requests = http.requests();
  EXPECT_EQ(requests[0].body, R"({"key":"AA==","range_end":"AA==","limit":"1000"})");
  EXPECT_EQ(requests[1].body, R"({"key":"Yf8=","range_end":"Yg==","limit":"1000"})");
  EXPECT_EQ(requests[2].body, R"({"key":"//8=","range_end":"AA==","limit":"1000"})");
}

TEST(EtcdClient, AsksForStatusAndMembers) {
  FakeHttpClient http = answering(500, "");
  (void)client_on(http).status();
  (void)client_on(http).members();
  EXPECT_EQ(http.requests()[0].path, "/v3/maintenance/status");
  EXPECT_EQ(http.requests()[1].path, "/v3/cluster/member/list");
  EXPECT_EQ(http.requests()[1].method, "POST");
  EXPECT_EQ(http.requests()[1].body, "{}");
}

TEST(EtcdClient, IsHealthyOnlyWhereItSaysSo) {
  FakeHttpClient healthy = answering(200, R"({"health":"true","reason":""})");
  EXPECT_TRUE(client_on(healthy).healthy().value());
  EXPECT_EQ(healthy.requests().front().method, "GET");
  FakeHttpClient unhealthy = answering(503, R"({"health":"false","reason":"RAFT NO LEADER"})");
  EXPECT_FALSE(client_on(unhealthy).healthy().value());

  FakeHttpClient overloaded = answering(503, "Service Unavailable");
  EXPECT_EQ(client_on(overloaded).healthy().error().kind, FailureKind::failed);
  FakeHttpClient other = answering(200, R"({"status":"ok"})");
  EXPECT_EQ(client_on(other).healthy().error().kind, FailureKind::malformed);
  FakeHttpClient html = answering(200, "<html>");
  EXPECT_EQ(client_on(html).healthy().error().kind, FailureKind::malformed);
}

TEST(EtcdClient, HintsAtTheCertificateThatItWasNotGiven) {
  FakeHttpClient http{[](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return Failure{
        .kind = FailureKind::malformed, .what = "GET", .where = {}, .came_back = "closed", .hint = {}};
  }};
  EXPECT_THAT(client_on(http).healthy().error().hint, HasSubstr("client certificate"));
  EXPECT_THAT(client_on(http).members().error().hint, HasSubstr("client certificate"));
  const EtcdClient plain{http, HttpAddress{.tls = false, .host = "10.77.0.11", .port = 2379}, TlsIdentity{},
                         "pg1"};
  EXPECT_THAT(plain.members().error().hint, HasSubstr("client port"));
}

TEST(EtcdClient, RepeatsWhatEtcdSaysWhenItRefuses) {
  FakeHttpClient http = answering(503, R"({"error":"etcdserver: request timed out","code":14})");
  const Failure failure = client_on(http).status().error();
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_THAT(failure.message(), HasSubstr("etcdserver: request timed out"));
}

}  // namespace
}  // namespace pgfiredrill
