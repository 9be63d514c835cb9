#include "report/inspect_json.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "tests/report/sample_cluster.h"
#include "tests/support/fixture.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_cluster;

constexpr nanoseconds kNow = 1'772'366'400s;

json render(const ClusterDescription& cluster) {
  return json::parse(render_inspect_json(cluster, kNow, "1.2.3"));
}

TEST(InspectJson, HoldsWhatWasFound) {
  const json document = render(sample_cluster());
  EXPECT_EQ(document["kind"], "inspect");
  EXPECT_EQ(document["tool"]["version"], "1.2.3");
  EXPECT_EQ(document["taken_at"], "2026-03-01T12:00:00.000Z");
  const json& cluster = document["cluster"];
  EXPECT_EQ(cluster["deployment_type"], "A");
  EXPECT_EQ(cluster["members"][1]["lag_bytes"], 16384);
  EXPECT_EQ(cluster["history"][0]["new_leader"], "pgnode02");
  EXPECT_TRUE(cluster["history"][1]["changed_at"].is_null());
  EXPECT_EQ(cluster["entry_points"][0]["servers"][1]["status"], "DOWN");
  EXPECT_DOUBLE_EQ(cluster["entry_points"][0]["login_s"], 0.0094);
  EXPECT_EQ(cluster["repositories"][0]["last_full"]["stopped_at"], "2026-03-01T03:01:00.000Z");
  EXPECT_EQ(cluster["settings"]["ttl_s"]["value"], 30);
  EXPECT_EQ(cluster["settings"]["listeners"][0]["inter_ms"], 3000);
  EXPECT_EQ(document["not_reached"][0]["kind"], "unreachable");
}

TEST(InspectJson, SaysNullForWhatWasNotLearnt) {
  const json document = render(sample_cluster());
  const json& cluster = document["cluster"];
  EXPECT_TRUE(cluster["members"][0]["lag_bytes"].is_null());
  EXPECT_TRUE(cluster["settings"]["loop_wait_s"]["value"].is_null());
  EXPECT_TRUE(cluster["entry_points"][1]["answered_by"].is_null());
}

TEST(InspectJson, IsJsonWhateverServersSend) {
  auto cluster = sample_cluster();
  cluster.members[0].name = "bad \xff\xfe utf-8 \x1b \"quoted\"";
  EXPECT_THAT(render(cluster)["cluster"]["members"][0]["name"].get<std::string>(), HasSubstr("\"quoted\""));
}

TEST(InspectJson, HoldsNoSecret) {
  EXPECT_THAT(render_inspect_json(sample_cluster(), kNow, "1"), Not(HasSubstr("hunter2")));
}

TEST(InspectJson, IsAsItsSchemaSays) {
  SystemProcessRunner runner;
  if (const auto probe = runner.run({.argv = {"/usr/bin/python3", "-c", "import jsonschema"}});
      !probe || probe->exit_status != 0) {
    GTEST_SKIP() << "python3-jsonschema is not installed";
  }
  const testing::TemporaryDirectory directory;
  int number = 0;
  for (const auto& cluster : {sample_cluster(), ClusterDescription{}}) {
    const std::string file =
        directory.write(std::to_string(++number) + ".json", render_inspect_json(cluster, kNow, "1"));
    const auto result = runner.run(
        {.argv = {"/usr/bin/python3", "-c",
                  "import json, sys, jsonschema\n"
                  "jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))",
                  file, testing::fixture_path("../report/inspect.schema.json")}});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->exit_status, 0) << result->err;
  }
}

}  // namespace
}  // namespace pgfiredrill
