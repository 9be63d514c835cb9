/// `pgfiredrill run` as users type it: the smoke suite from end to end, and what is refused at once.

#include "tests/lab/run_lab.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

#include "tests/support/fixture.h"

namespace pgfiredrill::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ProcessResult python(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{"/usr/bin/python3", "-c", script};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  SystemProcessRunner runner;
  const auto result = runner.run({.argv = std::move(argv), .deadline = 60s});
  EXPECT_TRUE(result.has_value());
  return result ? *result : ProcessResult{.exit_status = -1};
}

constexpr const char* kValidate = R"py(
import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))
)py";
constexpr const char* kParseXml = "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])";

/// Every path on which applications write has an outage in seconds, be it none: no number is missing.
void expect_measured(const json& repeat) {
  int writing = 0;
  for (const json& path : repeat["paths"]) {
    if (path["access"] != "read_write") continue;
    ++writing;
    for (const char* metric : {"outage_s", "unavailable_s", "error_s", "availability_pct"}) {
      EXPECT_TRUE(path[metric].is_number()) << metric << " of " << path["id"];
    }
  }
  EXPECT_GE(writing, 3) << "there are three balancers";
}

/// Both drills end every session with the old leader: none may hang, none may go on on a server that follows.
void expect_clients(const json& repeat) {
  std::map<std::string, int> kinds;
  for (const json& client : repeat["clients"]) {
    ++kinds[client["kind"]];
    EXPECT_THAT(client["end"].get<std::string>(), ::testing::AnyOf("works", "error")) << client;
    EXPECT_TRUE(client["after_s"].is_number()) << client;
    EXPECT_TRUE(client["stuck_s"].is_number()) << client;
    EXPECT_EQ(client["end"] == "error", client["class"] != "") << client;
  }
  EXPECT_EQ(kinds["idle"], 9) << "three on each balancer";
  EXPECT_EQ(kinds["in_transaction"], 3);
  EXPECT_EQ(kinds["long_query"], 3);
}

/// Replicas are there and keep up: each replica path read, and what it missed was young.
void expect_lag(const json& repeat) {
  const json& lag = repeat["replica_lag"];
  ASSERT_TRUE(lag["max_s"].is_number());
  EXPECT_LT(lag["max_s"], 30);
  EXPECT_GE(lag["paths"].size(), 6u) << "three balancers, pooled and fresh";
  for (const json& path : lag["paths"]) EXPECT_GT(path["reads"], 0) << path["id"];
}

TEST_F(RunLab, PassesTheSmokeSuite) {
  const auto result = run("smoke");
  ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("PASSED"));

  const json document = json::parse(file_of_run("report.json"));
  EXPECT_EQ(document["verdict"], "passed");
  ASSERT_EQ(document["drills"].size(), 2u);
  for (const json& drill : document["drills"]) {
    SCOPED_TRACE(drill["name"]);
    EXPECT_EQ(drill["verdict"], "passed") << drill["reasons"];
    ASSERT_EQ(drill["repeats"].size(), 1u);
    const json& repeat = drill["repeats"][0];
    EXPECT_EQ(repeat["durability"]["lost"], 0);
    EXPECT_GT(repeat["durability"]["acknowledged"], 1'000);
    EXPECT_EQ(repeat["durability"]["nodes"].size(), 3u);
    EXPECT_TRUE(repeat["recovery"]["full_health_s"].is_number());
    expect_measured(repeat);
    expect_clients(repeat);
    expect_lag(repeat);
  }

  const auto valid =
      python(kValidate, {fixture_path("../report/report.schema.json"), run_folder() + "/report.json"});
  EXPECT_EQ(valid.exit_status, 0) << valid.err;
  const auto junit = python(kParseXml, {run_folder() + "/junit.xml"});
  EXPECT_EQ(junit.exit_status, 0) << junit.err;
  EXPECT_THAT(file_of_run("report.md"), HasSubstr("switchover"));

  const std::string latest = directory_ / "runs/latest";
  ASSERT_TRUE(std::filesystem::is_symlink(latest));
  EXPECT_TRUE(std::filesystem::equivalent(latest, run_folder()));
  const auto again = program({"report", latest, "--format", "json"});
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(json::parse(again.out), document) << "the same record gives the same numbers";
}

TEST_F(RunLab, RefusesAnotherClustersName) {
  expect_refusal(run(quick_suite(), {"--confirm", "billing"}), 2, "'postgres-cluster'");
  EXPECT_THAT(run_folder(), IsEmpty());
}

TEST_F(RunLab, RefusesWithoutConfirmation) {
  auto argv = run_command(quick_suite());
  argv.erase(std::find(argv.begin(), argv.end(), "--confirm"), argv.end());
  expect_refusal(program({argv.begin() + 1, argv.end()}), 2, "--confirm");
  EXPECT_THAT(run_folder(), IsEmpty());
}

TEST_F(RunLab, RefusesAPausedCluster) {
  on_host("pg1", "patronictl pause --wait");
  const OnExit resume{[this] { on_host("pg1", "patronictl resume --wait"); }};
  expect_refusal(run(quick_suite()), 3, "Patroni is paused");
  EXPECT_EQ(reported("verdict"), "refused");
}

TEST_F(RunLab, RefusesAMemberThatIsDown) {
  on_host(a_replica(), "systemctl stop patroni");
  const OnExit start{[this] { on_host(a_replica(), "systemctl start patroni"); }};
  const std::string member = a_replica() == "pg2" ? "pgnode02" : "pgnode03";
  expect_refusal(run(quick_suite()), 3, "pgfiredrill: " + member + " is stopped.\n");
  EXPECT_EQ(reported("verdict"), "refused");
}

TEST_F(RunLab, RefusesADatabaseOfSomebodyElses) {
  const auto psql = [this](const std::string& sql) {
    return on_host(leader(), "runuser -u postgres -- psql -XqAt -c \"" + sql + "\"");
  };
  psql("create database pgfiredrill");
  const OnExit drop{[&] { psql("drop database pgfiredrill"); }};
  expect_refusal(run(quick_suite()), 3, "There is a database pgfiredrill already");
  EXPECT_EQ(psql("select count(*) from pg_database where datname = 'pgfiredrill'"), "1\n");
}

TEST_F(RunLab, UndoesWhatASignalInterrupts) {
  const auto child = start(quick_suite());
  wait_for_stage(*child, "baseline");
  child->signal(SIGINT);
  EXPECT_EQ(child->wait(120s), 4) << child->out() << child->err();
  EXPECT_THAT(child->err(), HasSubstr("Stopped on request."));
  EXPECT_THAT(child->err(), Not(HasSubstr("heal"))) << "nothing is left to undo";
  EXPECT_EQ(reported("verdict"), "aborted");
}

}  // namespace
}  // namespace pgfiredrill::testing
