#include "cluster/patroni_rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_http_client.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;
using testing::FakeHttpClient;
using ::testing::HasSubstr;
using testing::read_fixture;
using ::testing::StartsWith;

FakeHttpClient answering(int status, const std::string& body) {
  return FakeHttpClient{[=](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{.status = status, .headers = {}, .body = body};
  }};
}

PatroniRest rest_on(FakeHttpClient& http) {
  return {http, HttpAddress{.tls = true, .host = "10.77.0.11", .port = 8008}, TlsIdentity{}, "pg1"};
}

Failure failure_of_cluster(const std::string& body) {
  const auto cluster = parse_patroni_cluster(body, "pg1");
  EXPECT_FALSE(cluster) << body;
  return cluster ? Failure{} : cluster.error();
}

TEST(PatroniCluster, SaysWhoIsWho) {
  const auto cluster =
      parse_patroni_cluster(read_fixture("cluster/data/patroni_cluster.json"), "pg1").value();

  EXPECT_EQ(cluster.scope, "postgres-cluster");
  EXPECT_FALSE(cluster.paused);
  EXPECT_FALSE(cluster.switchover_scheduled);
  ASSERT_EQ(cluster.members.size(), 3U);
  const PatroniMember& leader = cluster.members[0];
  EXPECT_EQ(leader.name, "pgnode01");
  EXPECT_EQ(leader.role, "leader");
  EXPECT_EQ(leader.state, "running");
  EXPECT_EQ(leader.api_url, "https://10.77.0.11:8008/patroni");
  EXPECT_EQ(leader.host, "10.77.0.11");
  EXPECT_EQ(leader.port, 5432);
  EXPECT_EQ(leader.timeline, 2);
  EXPECT_EQ(leader.lag_bytes, std::nullopt);
  EXPECT_EQ(cluster.members[1].role, "replica");
  EXPECT_EQ(cluster.members[1].state, "streaming");
  EXPECT_EQ(cluster.members[1].lag_bytes, 0);
}

TEST(PatroniCluster, SaysWhatIsOutOfTheOrdinary) {
  const auto cluster =
      parse_patroni_cluster(read_fixture("cluster/data/patroni_cluster_odd.json"), "pg1").value();

  EXPECT_TRUE(cluster.paused);
  EXPECT_TRUE(cluster.switchover_scheduled);
  ASSERT_EQ(cluster.members.size(), 4U);
  const PatroniMember& behind = cluster.members[0];
  EXPECT_EQ(behind.role, "sync_standby");
  EXPECT_EQ(behind.lag_bytes, 16777216);
  EXPECT_EQ(behind.tags, (std::map<std::string, std::string>{
                             {"nofailover", "true"}, {"failover_priority", "0"}, {"replicatefrom", "pg2"}}));
  EXPECT_TRUE(behind.pending_restart);
  EXPECT_FALSE(cluster.members[1].pending_restart);
  // "unknown" is not 0: the member may be far behind.
  EXPECT_EQ(cluster.members[2].lag_bytes, std::nullopt);
  EXPECT_EQ(cluster.members[3].port, 0);
  EXPECT_EQ(cluster.members[3].timeline, std::nullopt);
}

TEST(PatroniCluster, RefusesWhatSomebodyElseAnswered) {
  for (const char* body :
       {"", "  \r\n", "<!DOCTYPE html><html><body>403</body></html>", "SSH-2.0-OpenSSH_10.0", "[]", "{}",
        "null", "3", R"({"members": {}})", R"({"members": [3]})", R"({"members": [[]]})"}) {
    const Failure failure = failure_of_cluster(body);
    EXPECT_EQ(failure.kind, FailureKind::malformed) << body;
    EXPECT_THAT(failure.message(), StartsWith("cannot ask Patroni for /cluster on pg1: "));
    EXPECT_THAT(failure.hint, HasSubstr("Is this Patroni's REST port")) << body;
  }
}

TEST(PatroniCluster, RefusesFieldsOfAnotherKindAndNamesThem) {
  const auto with = [](const std::string& field) {
    return R"({"members": [{"name": "pg1", "role": "leader"}, {"name": "pg2", "role": "replica", )" + field +
           "}]}";
  };
  EXPECT_THAT(failure_of_cluster(with(R"("port": 99999)")).came_back, HasSubstr("members[1].port"));
  EXPECT_THAT(failure_of_cluster(with(R"("port": "x")")).came_back, HasSubstr("'x'"));
  EXPECT_THAT(failure_of_cluster(with(R"("lag": -1)")).came_back, HasSubstr("members[1].lag"));
  EXPECT_THAT(failure_of_cluster(with(R"("lag": 1e40)")).came_back, HasSubstr("members[1].lag"));
  EXPECT_THAT(failure_of_cluster(with(R"("lag": "soon")")).came_back, HasSubstr("members[1].lag"));
  EXPECT_THAT(failure_of_cluster(with(R"("timeline": [4])")).came_back, HasSubstr("members[1].timeline"));
  EXPECT_THAT(failure_of_cluster(with(R"("state": {})")).came_back, HasSubstr("members[1].state"));
  EXPECT_THAT(failure_of_cluster(with(R"("tags": {"a": []})")).came_back, HasSubstr("members[1].tags.a"));
  EXPECT_THAT(failure_of_cluster(R"({"members": [{"role": "leader"}]})").came_back,
              HasSubstr("members[0].name is not there"));
}

// Patroni's server closes the connection behind each answer, so half of one looks whole to HTTP.
TEST(PatroniCluster, RefusesHalfAnAnswer) {
  const std::string whole = read_fixture("cluster/data/patroni_cluster.json");
  for (std::size_t length = 0; length < whole.size() - 1; length += 7) {
    EXPECT_EQ(failure_of_cluster(whole.substr(0, length)).kind, FailureKind::malformed) << length;
  }
}

TEST(PatroniCluster, RefusesLongNonsenseWithoutRepeatingIt) {
  const Failure failure = failure_of_cluster(std::string(10'000'000, 'x'));
  EXPECT_EQ(failure.kind, FailureKind::malformed);
  EXPECT_LT(failure.message().size(), 500U);
  EXPECT_EQ(failure_of_cluster(std::string(10'000'000, ' ')).kind, FailureKind::malformed);
}

TEST(PatroniNode, DescribesALeader) {
  const auto node = parse_patroni_node(read_fixture("cluster/data/patroni_node_primary.json"), "pg1").value();
  EXPECT_EQ(node.name, "pgnode01");
  EXPECT_EQ(node.scope, "postgres-cluster");
  EXPECT_EQ(node.state, "running");
  EXPECT_EQ(node.role, "primary");
  EXPECT_EQ(node.patroni_version, "4.0.7");
  EXPECT_EQ(node.server_version, 170012);
  EXPECT_EQ(node.system_identifier, "7713996152791962999");
  EXPECT_EQ(node.timeline, 2);
  EXPECT_EQ(node.postmaster_start_time, "2026-11-30 16:13:52.218281+00:00");
  EXPECT_GT(node.dcs_last_seen.value_or(0), 1796056000);
  EXPECT_FALSE(node.pending_restart);
  EXPECT_FALSE(node.paused);
}

TEST(PatroniNode, DescribesAReplica) {
  const auto node = parse_patroni_node(read_fixture("cluster/data/patroni_node_replica.json"), "pg2").value();
  EXPECT_EQ(node.name, "pgnode02");
  EXPECT_EQ(node.role, "replica");
  EXPECT_EQ(node.timeline, 2);
}

TEST(PatroniNode, SaysThatItIsPausedAndAwaitsARestart) {
  const auto node = parse_patroni_node(R"({"state": "running", "role": "replica", "pause": true,
                                           "pending_restart": true, "patroni": {"version": "4.0.7"}})",
                                       "pg2")
                        .value();
  EXPECT_TRUE(node.pending_restart);
  EXPECT_TRUE(node.paused);
}

TEST(PatroniNode, DescribesAStoppedServer) {
  const auto node = parse_patroni_node(read_fixture("cluster/data/patroni_node_stopped.json"), "pg3").value();
  EXPECT_EQ(node.state, "stopped");
  EXPECT_EQ(node.server_version, 0);
  EXPECT_EQ(node.timeline, std::nullopt);
  EXPECT_EQ(node.postmaster_start_time, "");
}

TEST(PatroniNode, RefusesJsonOfSomebodyElse) {
  for (const char* body :
       {"{}", R"({"state": "running"})", R"({"health": "true"})", R"({"state": 1, "patroni": 4})",
        R"({"state": "running", "patroni": {"version": "4"}, "server_version": 99999999999})"}) {
    const auto node = parse_patroni_node(body, "pg1");
    ASSERT_FALSE(node) << body;
    EXPECT_EQ(node.error().kind, FailureKind::malformed);
  }
}

TEST(PatroniConfig, HoldsWhatIsSetAndNothingElse) {
  const std::string body = read_fixture("cluster/data/patroni_config.json");
  const auto config = parse_patroni_config(body, "pg1").value();
  EXPECT_EQ(config.ttl, seconds{30});
  EXPECT_EQ(config.loop_wait, seconds{10});
  EXPECT_EQ(config.retry_timeout, seconds{10});
  EXPECT_EQ(config.primary_start_timeout, seconds{300});  // under its old name
  EXPECT_EQ(config.maximum_lag_on_failover_bytes, 1048576);
  EXPECT_EQ(config.synchronous_mode, "off");
  EXPECT_EQ(config.synchronous_mode_strict, false);
  EXPECT_EQ(config.synchronous_node_count, 1);
  EXPECT_EQ(config.failsafe_mode, true);
  EXPECT_EQ(config.paused, std::nullopt);
  EXPECT_EQ(config.use_pg_rewind, true);
  EXPECT_EQ(config.use_slots, true);
  EXPECT_FALSE(config.standby_cluster);
  EXPECT_EQ(config.parameters.at("max_connections"), "1000");
  EXPECT_EQ(config.parameters.at("archive_command"), "pgbackrest --stanza=postgres-cluster archive-push %p");
  EXPECT_EQ(config.raw, body);

  const auto empty = parse_patroni_config("{}", "pg1").value();
  EXPECT_EQ(empty.ttl, std::nullopt);
  EXPECT_EQ(empty.synchronous_mode, std::nullopt);
  EXPECT_EQ(empty.failsafe_mode, std::nullopt);
}

TEST(PatroniConfig, UnderstandsWhatPeoplePatchIn) {
  const auto mode_of = [](const std::string& value) {
    return parse_patroni_config(R"({"synchronous_mode": )" + value + "}", "pg1").value().synchronous_mode;
  };
  EXPECT_EQ(mode_of("true"), "on");
  EXPECT_EQ(mode_of(R"("on")"), "on");
  EXPECT_EQ(mode_of(R"("off")"), "off");
  EXPECT_EQ(mode_of(R"("Quorum")"), "quorum");
  EXPECT_EQ(mode_of("null"), std::nullopt);

  const auto config =
      parse_patroni_config(
          R"({"ttl": "20", "pause": "on", "primary_start_timeout": 0, "master_start_timeout": 300,
                              "standby_cluster": {"host": "10.77.1.1", "port": 5432},
                              "postgresql": {"parameters": {"max_wal_senders": 20, "jit": false,
                                                            "random_page_cost": 1.1, "removed": null}}})",
          "pg1")
          .value();
  EXPECT_EQ(config.parameters,
            (std::map<std::string, std::string>{
                {"max_wal_senders", "20"}, {"jit", "false"}, {"random_page_cost", "1.1"}}));
  EXPECT_EQ(config.ttl, seconds{20});
  EXPECT_EQ(config.paused, true);
  EXPECT_EQ(config.primary_start_timeout, seconds{0});  // today's name wins
  EXPECT_TRUE(config.standby_cluster);
  EXPECT_FALSE(parse_patroni_config(R"({"standby_cluster": {}})", "pg1").value().standby_cluster);
}

// Patroni would quietly take its default; a number that nobody set must not look as if it were known.
TEST(PatroniConfig, RefusesSettingsThatCannotBeRead) {
  for (const char* body :
       {R"({"ttl": "soon"})", R"({"ttl": -1})", R"({"ttl": 9223372036854775807})", R"({"ttl": {}})",
        R"({"maximum_lag_on_failover": "1MB"})", R"({"synchronous_mode": "sometimes"})",
        R"({"synchronous_node_count": 4294967296})", R"({"postgresql": []})",
        R"({"postgresql": {"parameters": {"a": {}}}})", "[]", "null", "\"ttl\""}) {
    const auto config = parse_patroni_config(body, "pg1");
    ASSERT_FALSE(config) << body;
    EXPECT_EQ(config.error().kind, FailureKind::malformed);
  }
  EXPECT_THAT(parse_patroni_config(R"({"ttl": "soon"})", "pg1").error().came_back,
              HasSubstr("ttl is no whole number but 'soon'"));
}

TEST(PatroniHistory, ListsTheTimelinesThatEnded) {
  const auto history =
      parse_patroni_history(read_fixture("cluster/data/patroni_history.json"), "pg1").value();
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].timeline, 1);
  EXPECT_EQ(history[0].switch_lsn, 167772320U);
  EXPECT_EQ(history[0].reason, "no recovery target specified");
  EXPECT_EQ(history[0].timestamp, "2026-11-30T16:13:53.440544+00:00");
  EXPECT_EQ(history[0].new_leader, "pgnode01");

  const auto old = parse_patroni_history(R"([[3, 9223372036854775807, "x"]])", "pg1").value();
  EXPECT_EQ(old[0].switch_lsn, 9223372036854775807U);
  EXPECT_EQ(old[0].timestamp, "");
  EXPECT_TRUE(parse_patroni_history("[]", "pg1").value().empty());
}

TEST(PatroniHistory, RefusesRowsOfAnotherShape) {
  for (const char* body : {"{}", "null", "[1]", "[[1, 2]]", R"([[0, 2, "x"]])", R"([[1, -2, "x"]])",
                           "[[1, 2, 3]]", R"([["a", 2, "x"]])"}) {
    const auto history = parse_patroni_history(body, "pg1");
    ASSERT_FALSE(history) << body;
    EXPECT_EQ(history.error().kind, FailureKind::malformed);
  }
}

TEST(PatroniRest, AsksForEachThingByItsPath) {
  FakeHttpClient http = answering(500, "");
  const PatroniRest rest = rest_on(http);
  (void)rest.cluster();
  (void)rest.node();
  (void)rest.config();
  (void)rest.history();
  std::vector<std::string> paths;
  for (const HttpRequest& request : http.requests()) {
    EXPECT_EQ(request.method, "GET");
    paths.push_back(request.path);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"/cluster", "/patroni", "/config", "/history"}));
}

TEST(PatroniRest, BelievesANodeWhateverItsStatus) {
  FakeHttpClient http = answering(503, read_fixture("cluster/data/patroni_node_replica.json"));
  EXPECT_EQ(rest_on(http).node().value().name, "pgnode02");
  // The cluster's answer has no such excuse.
  EXPECT_EQ(rest_on(http).cluster().error().kind, FailureKind::failed);
}

TEST(PatroniRest, TellsAStatusFromNonsense) {
  FakeHttpClient broken = answering(502, "<html><h1>Error response</h1></html>");
  const Failure failure = rest_on(broken).config().error();
  EXPECT_EQ(failure.kind, FailureKind::failed);
  EXPECT_THAT(failure.message(), HasSubstr("HTTP status 502 (an HTML page)"));
  EXPECT_EQ(rest_on(broken).node().error().kind, FailureKind::failed);

  FakeHttpClient strict = answering(403, "");
  EXPECT_EQ(rest_on(strict).cluster().error().kind, FailureKind::denied);

  FakeHttpClient other = answering(200, "<html>");
  EXPECT_EQ(rest_on(other).cluster().error().kind, FailureKind::malformed);
}

TEST(PatroniRest, SaysThatAPortWantsHttps) {
  FakeHttpClient http = answering(400, "Client sent an HTTP request to an HTTPS server.\n");
  EXPECT_THAT(rest_on(http).cluster().error().hint, HasSubstr("https://"));
}

TEST(PatroniRest, NamesTheNodeInFailuresOfTheConnection) {
  FakeHttpClient http{[](const HttpAddress&, const HttpRequest&) -> Result<HttpResponse> {
    return Failure{.kind = FailureKind::untrusted,
                   .what = "GET /cluster",
                   .where = "https://10.77.0.11:8008",
                   .came_back = "its certificate was not accepted",
                   .hint = "Name the right authority."};
  }};
  const Failure failure = rest_on(http).cluster().error();
  EXPECT_EQ(failure.kind, FailureKind::untrusted);
  EXPECT_EQ(
      failure.message(),
      "cannot ask Patroni for /cluster on pg1: its certificate was not accepted. Name the right authority.");
}

TEST(PostgresVersionText, KnowsBothSchemes) {
  EXPECT_EQ(postgres_version_text(170006), "17.6");
  EXPECT_EQ(postgres_version_text(150020), "15.20");
  EXPECT_EQ(postgres_version_text(90624), "9.6.24");
  EXPECT_EQ(postgres_version_text(0), "");
  EXPECT_EQ(postgres_version_text(-1), "");
}

}  // namespace
}  // namespace pgfiredrill
