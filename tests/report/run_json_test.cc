#include "report/run_json.h"

#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "measure/judge.h"
#include "tests/report/sample_run.h"
#include "tests/support/fixture.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::hostile_run;
using testing::mixed_run;
using testing::passed_run;

json render(const RunResult& run) {
  return json::parse(render_run_json(run));
}

json schema() {
  return json::parse(testing::read_fixture("../report/report.schema.json"));
}

TEST(RunJson, HoldsWhatWasMeasured) {
  const json document = render(mixed_run());
  EXPECT_EQ(document["kind"], "drills");
  EXPECT_EQ(document["tool"]["version"], "0.1.0");
  EXPECT_EQ(document["run"]["id"], "20261130T184500Z-smoke");
  EXPECT_EQ(document["run"]["seed"], 42);
  EXPECT_EQ(document["verdict"], "failed");
  EXPECT_EQ(document["cluster"]["settings"]["ttl"], "30 s");
  EXPECT_EQ(document["findings"][0]["severity"], "warn");
  EXPECT_EQ(document["clocks"][0]["offset_s"], 0.0004);

  const json& drill = document["drills"][1];
  EXPECT_EQ(drill["name"], "kill-postmaster");
  EXPECT_EQ(drill["fault"]["target"], "leader");
  const json& repeat = drill["repeats"][0];
  EXPECT_EQ(repeat["injected_at"], "2026-11-30T18:46:12.250Z");
  EXPECT_EQ(repeat["durability"]["lost"], 3);
  EXPECT_EQ(repeat["durability"]["lost_ranges"][0]["last"], 4812);
  EXPECT_EQ(repeat["durability"]["lost_ranges"][0]["members"][0], "pgnode01");
  EXPECT_EQ(repeat["durability"]["lost_ranges"][0]["wal_bytes"], 1024);
  EXPECT_EQ(repeat["recovery"]["full_health_s"], 43.25);
  EXPECT_EQ(repeat["expectations"][0]["where"]["session"], "fresh");
  EXPECT_EQ(repeat["expectations"][0]["passed"], false);
  const json& path = repeat["paths"][0];
  EXPECT_EQ(path["windows"][0]["end_s"], 41.5);
  EXPECT_EQ(path["outage_s"], 41.25);
  EXPECT_EQ(path["errors"][0]["class"], "08P01");
  EXPECT_EQ(path["errors"][1]["class"], "refused");
  EXPECT_EQ(path["instrument"]["dropped"], 10);
  EXPECT_EQ(document["drills"][0]["summary"][0]["median"], 6.8);
}

TEST(RunJson, HoldsWhatClientsSaw) {
  const json repeat = render(passed_run())["drills"][0]["repeats"][0];
  EXPECT_EQ(repeat["replica_lag"]["max_s"], 2.5);
  EXPECT_TRUE(repeat["replica_lag"]["max_bytes"].is_null());
  EXPECT_EQ(repeat["replica_lag"]["paths"][0]["reads"], 2'000);
  EXPECT_EQ(repeat["replica_lag"]["paths"][0]["p95_s"], 0.04);
  EXPECT_EQ(repeat["clients"][0]["end"], "works");
  EXPECT_EQ(repeat["clients"][0]["read_only_until_s"], 8.5);
  EXPECT_EQ(repeat["clients"][1]["class"], "57P01");
  EXPECT_EQ(repeat["clients"][1]["layer"], "postgres");
  EXPECT_EQ(repeat["clients"][2]["end"], "stuck");
  EXPECT_EQ(repeat["clients"][2]["stuck_s"], 31.5);
  EXPECT_EQ(repeat["clients"][2]["class"], "");
}

TEST(RunJson, SaysNullForWhatWasNotMeasuredAndNever0) {
  const json document = render(mixed_run());
  const json& repeat = document["drills"][2]["repeats"][0];
  EXPECT_TRUE(repeat["paths"][0]["outage_s"].is_null());
  EXPECT_TRUE(repeat["durability"].is_null());
  EXPECT_TRUE(repeat["recovery"]["full_health_s"].is_null());
  for (const char* later : {"budget", "split_brain", "backup"}) EXPECT_TRUE(repeat[later].is_null()) << later;
  EXPECT_TRUE(repeat["paths"][0]["phases"].is_null());
  const json& nodes = document["drills"][0]["repeats"][0]["durability"]["nodes"];
  EXPECT_TRUE(nodes[1]["lost"].is_null()) << "a node that was not read has lost nothing that is known";
}

std::string reason_for(const json& document, const std::string& pointer) {
  for (const json& missing : document["not_measured"])
    if (missing["pointer"] == pointer) return missing["reason"];
  return "none";
}

TEST(RunJson, LeadsToWhatWasNotMeasuredFromTheRoot) {
  const json document = render(mixed_run());
  EXPECT_THAT(reason_for(document, "/drills/2/repeats/0/paths/0/outage_s"), HasSubstr("loop stalled"));
  EXPECT_THAT(reason_for(document, "/drills/2/repeats/0/durability"), HasSubstr("not read back"));
  EXPECT_THAT(reason_for(document, "/drills/2/repeats/0/budget"), HasSubstr("setting"));
  EXPECT_EQ(reason_for(document, "/drills/0/repeats/1/paths/0/phases"), "not measured by this version");
  EXPECT_EQ(reason_for(document, "/clocks/1/error_s"), "the clock of this node was not measured");
  EXPECT_EQ(reason_for(document, "/drills/0/repeats/0/paths/0/error_s"), "none") << "it was measured";
}

void expect_explained(const json& document, const json& node, const json::json_pointer& at, bool explained) {
  explained = explained || reason_for(document, at.to_string()) != "none";
  EXPECT_TRUE(explained || !node.is_null()) << at.to_string() << " is null, and nobody says why";
  if (node.is_object()) {
    for (const auto& [name, value] : node.items()) expect_explained(document, value, at / name, explained);
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i) expect_explained(document, node[i], at / i, explained);
  }
}

TEST(RunJson, ExplainsEveryNull) {
  RunResult odd = mixed_run();
  odd.drills[0].repeats[0].not_measured.clear();
  odd.drills[0].repeats[0].paths[0].outage_s = std::numeric_limits<double>::quiet_NaN();
  odd.drills[0].repeats[0].durability->lost.reset();
  for (const RunResult& run : {mixed_run(), odd, RunResult{}}) {
    const json document = render(run);
    expect_explained(document, document, json::json_pointer{}, false);
  }
}

TEST(RunJson, EveryPointerLeadsSomewhere) {
  const json document = render(mixed_run());
  for (const json& missing : document["not_measured"]) {
    const std::string pointer = missing["pointer"];
    ASSERT_TRUE(document.contains(json::json_pointer{pointer})) << pointer;
    EXPECT_TRUE(document[json::json_pointer{pointer}].is_null()) << pointer;
  }
}

/// A null in the summary has one reason: there were too few repeats for tails.
TEST(RunJson, GivesTailsFromTwentyRepeatsOn) {
  RunResult run = passed_run();
  EXPECT_EQ(reason_for(render(run), "/drills/0/summary/0/p95"), "there were fewer than 20 repeats");
  SummaryRow& row = run.drills[0].summary[0];
  row.p95 = 9;
  row.ci_low = 6;
  row.ci_high = 7;
  const json document = render(run);
  EXPECT_EQ(document["drills"][0]["summary"][0]["ci_high"], 7.0);
  EXPECT_EQ(reason_for(document, "/drills/0/summary/0/p95"), "none");
}

TEST(RunJson, IsJsonWhateverServersSay) {
  EXPECT_EQ(render(hostile_run())["verdict"], "failed");
}

TEST(RunJson, ItsSchemaKnowsEveryMetricAndVerdict) {
  const json defs = schema()["$defs"];
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) names.emplace_back(metric.name);
  EXPECT_EQ(defs["metric"]["enum"], json(names));
  std::vector<std::string> verdicts;
  for (int verdict = 0; verdict <= static_cast<int>(Verdict::aborted); ++verdict)
    verdicts.emplace_back(to_string(static_cast<Verdict>(verdict)));
  EXPECT_EQ(defs["verdict"]["enum"], json(verdicts));
}

TEST(RunJson, ItsSchemaKnowsEveryLayer) {
  std::vector<std::string> layers;
  for (int layer = 0; layer <= static_cast<int>(Layer::unknown); ++layer)
    layers.emplace_back(to_string(static_cast<Layer>(layer)));
  EXPECT_EQ(schema()["$defs"]["layer"]["enum"], json(layers));
}

void expect_strict(const json& node, const std::string& where) {
  if (node.is_object()) {
    if (node.contains("properties")) {
      EXPECT_EQ(node.value("additionalProperties", json{}), false) << where;
      EXPECT_EQ(node["properties"].size(), node["required"].size()) << where << ": every field is required";
    }
    for (const auto& [name, value] : node.items()) expect_strict(value, where + "/" + name);
  } else if (node.is_array()) {
    for (const json& item : node) expect_strict(item, where);
  }
}

TEST(RunJson, ItsSchemaLeavesNothingOut) {
  expect_strict(schema(), "");
}

TEST(RunJson, IsAsItsSchemaSays) {
  SystemProcessRunner runner;
  if (const auto probe = runner.run({.argv = {"/usr/bin/python3", "-c", "import jsonschema"}});
      !probe || probe->exit_status != 0) {
    GTEST_SKIP() << "python3-jsonschema is not installed";
  }
  const testing::TemporaryDirectory directory;
  std::vector<std::string> argv{"/usr/bin/python3", "-c",
                                "import json, sys, jsonschema\n"
                                "schema = json.load(open(sys.argv[1]))\n"
                                "jsonschema.Draft202012Validator.check_schema(schema)\n"
                                "for name in sys.argv[2:]:\n"
                                "    jsonschema.validate(json.load(open(name)), schema)",
                                testing::fixture_path("../report/report.schema.json")};
  // A pointer that measuring never makes is no JSON pointer; all else of the hostile run is as it should be.
  RunResult hostile = hostile_run();
  hostile.drills[1].repeats[0].not_measured.clear();
  int number = 0;
  for (const RunResult& run : {passed_run(), mixed_run(), hostile, RunResult{}})
    argv.push_back(directory.write(std::to_string(++number) + ".json", render_run_json(run)));
  const auto result = runner.run({.argv = argv});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_status, 0) << result->err;
}

}  // namespace
}  // namespace pgfiredrill
