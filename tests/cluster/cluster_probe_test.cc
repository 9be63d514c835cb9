#include "cluster/cluster_probe.h"

#include <gmock/gmock.h>

#include "tests/support/fake_host.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/loopback_server.h"
#include "tests/support/scripted_postgres.h"
#include "tests/support/simulated_clock.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::closed_port;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeHost;
using testing::FakeHttpClient;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScriptedPostgres;
using testing::SimulatedClock;
using testing::wire_done;
using testing::wire_error;
using testing::wire_rows;

std::string view_of_cluster(const std::string& leader, int timeline) {
  std::string members;
  for (const char* name : {"pgnode01", "pgnode02"}) {
    members += (members.empty() ? "" : ",") + std::string{R"({"name":")"} + name + R"(","role":")" +
               (leader == name ? "leader" : "replica") + R"(","state":"running","timeline":)" +
               std::to_string(timeline) + R"(,"lag":0})";
  }
  return R"({"members":[)" + members + "]}";
}

/// What one server says of itself, in the order of the probe's question.
std::string server_row(const std::string& in_recovery, const std::string& start, const std::string& waiting) {
  return wire_rows({"a", "b", "c", "d", "e", "f", "g"},
                   {{in_recovery, start, "4711", "on", "f", waiting, "83886080"}});
}

ScriptedPostgres::Answer server(const std::string& in_recovery, const std::string& start) {
  return [=](const std::string& sql) -> std::optional<std::string> {
    if (sql.find("pg_is_in_recovery") != std::string::npos) return server_row(in_recovery, start, "3");
    return wire_done("OK");
  };
}

class ClusterProbeTest : public ::testing::Test {
 protected:
  ClusterProbeTest() {
    cluster_.access = {.superuser = "postgres", .superuser_sslmode = "disable"};
    cluster_.members = {{.name = "pgnode01", .host = "pg1", .postgres = {"127.0.0.1", closed_port()}},
                        {.name = "pgnode02", .host = "pg2", .postgres = {"127.0.0.1", closed_port()}}};
    cluster_.members[0].api_url = "http://10.0.0.1:8008/patroni";
    cluster_.members[1].api_url = "http://10.0.0.2:8008/patroni";
    cluster_.statistics = {{.host = "pg1", .address = {"10.0.0.1", 7000}, .uri = "/"}};
    cluster_.consensus = {{.name = "e1", .endpoint = "http://10.0.0.1:2379"},
                          {.name = "e2", .endpoint = "http://10.0.0.2:2379"}};
    cluster_.entry_points = {{.role = EntryPointRole::primary,
                              .host = "pg1",
                              .listener = "master",
                              .servers = {{.name = "first", .address = {"10.1.0.1", 6432}}}},
                             {.role = EntryPointRole::replica, .host = "pg1", .listener = "replicas"}};
    bodies_ = {{"10.0.0.1:8008/cluster", view_of_cluster("pgnode01", 4)},
               {"10.0.0.2:8008/cluster", view_of_cluster("pgnode01", 4)},
               {"10.0.0.1:2379/health", R"({"health":"true"})"},
               {"10.0.0.2:2379/health", R"({"health":"true"})"},
               {"10.0.0.1:7000/;csv",
                "# pxname,svname,status,\nmaster,FRONTEND,OPEN,\nmaster,pgnode01,UP,\nmaster,pgnode02,DOWN,\n"
                "replicas,pgnode01,DOWN,\nreplicas,pgnode02,UP 1/3,\nother,pgnode02,UP,\n"}};
  }

  std::unique_ptr<ClusterProbe> probe() {
    return make_cluster_probe(
        cluster_, http_, [this](const std::string& name) -> Host& { return name == "pg1" ? pg1_ : pg2_; },
        clock_);
  }

  ClusterSnapshot look() { return probe()->look(); }

  ClusterDescription cluster_;
  std::map<std::string, std::string> bodies_;
  FakeHost pg1_{"pg1", [](const RemoteCommand&) { return RemoteResult{}; }};
  FakeHost pg2_{"pg2", [](const RemoteCommand&) { return RemoteResult{}; }};
  FakeHttpClient http_{
      [this](const HttpAddress& address, const HttpRequest& request) -> Result<HttpResponse> {
        const auto body = bodies_.find(address.host + ":" + std::to_string(address.port) + request.path);
        if (body != bodies_.end()) return HttpResponse{.status = 200, .body = body->second};
        return Failure{.kind = FailureKind::unreachable, .what = "send", .came_back = "refused"};
      }};
  SimulatedClock clock_;
};

TEST_F(ClusterProbeTest, SeesEveryLayer) {
  const ScriptedPostgres first{server("f", "1700000000000001")};
  const ScriptedPostgres second{server("t", "1700000000000002")};
  cluster_.members[0].postgres.port = first.port();
  cluster_.members[1].postgres.port = second.port();
  const ClusterSnapshot now = look();
  EXPECT_THAT(now.troubles, IsEmpty());
  ASSERT_NE(now.leader(), nullptr);
  EXPECT_EQ(now.leader()->name, "pgnode01");
  EXPECT_EQ(now.at, clock_.monotonic());
  EXPECT_TRUE(now.servers.at("pgnode01").answered);
  EXPECT_FALSE(now.servers.at("pgnode01").in_recovery);
  EXPECT_EQ(now.servers.at("pgnode01").postmaster_start, "1700000000000001");
  EXPECT_EQ(now.servers.at("pgnode01").postmaster_pid, 4711);
  EXPECT_EQ(now.servers.at("pgnode01").position, 83886080);
  EXPECT_TRUE(now.servers.at("pgnode02").in_recovery);
  ASSERT_TRUE(now.archiver.has_value());
  EXPECT_TRUE(now.archiver->on);
  EXPECT_FALSE(now.archiver->failing);
  EXPECT_EQ(now.archiver->waiting, 3);
  EXPECT_THAT(now.consensus_healthy, ElementsAre("e1", "e2"));
  EXPECT_THAT(now.balancers.at("pg1").at(EntryPointRole::primary), ElementsAre("pgnode01"));
  EXPECT_THAT(now.balancers.at("pg1").at(EntryPointRole::replica), ElementsAre("pgnode02"));
}

TEST_F(ClusterProbeTest, SaysWhatDoesNotAnswerAndShowsTheRest) {
  bodies_.erase("10.0.0.1:8008/cluster");
  bodies_.erase("10.0.0.1:7000/;csv");
  bodies_["10.0.0.2:2379/health"] = R"({"health":"false"})";
  const ClusterSnapshot now = look();
  EXPECT_EQ(now.members.size(), 2u) << "the other node's view";
  EXPECT_FALSE(now.servers.at("pgnode01").answered);
  EXPECT_FALSE(now.servers.at("pgnode01").why_not.empty());
  EXPECT_FALSE(now.archiver.has_value());
  EXPECT_THAT(now.consensus_healthy, ElementsAre("e1"));
  EXPECT_TRUE(now.balancers.empty());
  EXPECT_EQ(now.troubles.size(), 5u) << "Patroni, balancer, consensus store, two servers";
}

// A node that is cut off from the consensus store goes on showing what it saw last.
TEST_F(ClusterProbeTest, BelievesTheLaterTimeline) {
  bodies_["10.0.0.2:8008/cluster"] = view_of_cluster("pgnode02", 5);
  const ClusterSnapshot now = look();
  ASSERT_NE(now.leader(), nullptr);
  EXPECT_EQ(now.leader()->name, "pgnode02");
  EXPECT_THAT(now.troubles, Contains(HasSubstr("do not agree on who leads: pgnode01, pgnode02")));
}

TEST_F(ClusterProbeTest, KeepsItsSessionsAndLogsInAgainAfterARestart) {
  std::atomic<int> looks{0};
  const ScriptedPostgres first{[&](const std::string& sql) -> std::optional<std::string> {
    if (sql.find("pg_is_in_recovery") == std::string::npos) return wire_done("OK");
    if (++looks == 3) return wire_error("57P01", "terminating connection", "FATAL");
    return server_row("f", looks < 3 ? "1" : "2", "0");
  }};
  cluster_.members[0].postgres.port = first.port();
  const auto probe = this->probe();
  EXPECT_EQ(probe->look().servers.at("pgnode01").postmaster_start, "1");
  EXPECT_EQ(probe->look().servers.at("pgnode01").postmaster_start, "1");
  const ClusterSnapshot after = probe->look();
  EXPECT_TRUE(after.servers.at("pgnode01").answered) << after.servers.at("pgnode01").why_not;
  EXPECT_EQ(after.servers.at("pgnode01").postmaster_start, "2") << "a new session, in the same look";
}

TEST_F(ClusterProbeTest, WaitsForNoServerLongerThanTwoSeconds) {
  const ScriptedPostgres silent{[](const std::string&) { return std::nullopt; }};
  cluster_.members[0].postgres.port = silent.port();
  const auto probe = this->probe();
  for (int i = 0; i < 2; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    const ClusterSnapshot now = probe->look();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 3s);
    EXPECT_FALSE(now.servers.at("pgnode01").answered);
  }
}

TEST_F(ClusterProbeTest, HurriesEveryRequest) {
  (void)look();
  EXPECT_EQ(http_.requests().size(), 5u);
  for (const HttpRequest& request : http_.requests()) EXPECT_LE(request.deadline, 1s) << request.path;
}

TEST_F(ClusterProbeTest, FindsMembersBehindServersOfOtherNames) {
  cluster_.members[0].postgres.host = "10.1.0.1";
  cluster_.members[0].host.clear();  // not asked by SQL
  bodies_["10.0.0.1:7000/;csv"] =
      "# pxname,svname,status,addr,\nmaster,first,UP,,\nreplicas,second,UP,127.0.0.1:6432,\n";
  const ClusterSnapshot now = look();
  EXPECT_THAT(now.balancers.at("pg1").at(EntryPointRole::primary), ElementsAre("pgnode01"));
  EXPECT_THAT(now.balancers.at("pg1").at(EntryPointRole::replica), ElementsAre("pgnode02"));
  EXPECT_FALSE(now.servers.contains("pgnode01"));
}

}  // namespace
}  // namespace pgfiredrill
