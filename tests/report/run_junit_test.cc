#include "report/run_junit.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "tests/report/sample_run.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::hostile_run;
using testing::mixed_run;
using testing::passed_run;

/// What a parser that is not ours makes of it: attributes, properties and outcomes of each testcase.
json parse(const std::string& xml) {
  SystemProcessRunner runner;
  const auto result = runner.run({.argv = {"/usr/bin/python3", "-c", R"py(
import json, sys
import xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
suite = root[0]
cases = []
for case in suite.iter("testcase"):
    outcome = [child for child in case if child.tag in ("failure", "error", "skipped")]
    cases.append({
        "name": case.get("name"), "classname": case.get("classname"),
        "outcome": outcome[0].tag if outcome else "passed",
        "type": outcome[0].get("type") if outcome else None,
        "message": outcome[0].get("message") if outcome else None,
        "text": outcome[0].text if outcome else None,
        "out": case.findtext("system-out"),
        "properties": {p.get("name"): p.get("value") for p in case.iter("property")}})
print(json.dumps({"root": root.attrib, "suite": suite.attrib, "cases": cases,
                  "properties": {p.get("name"): p.get("value") for p in suite.find("properties")}}))
)py"},
                                  .input = xml});
  EXPECT_TRUE(result);
  EXPECT_EQ(result->exit_status, 0) << result->err;
  return json::parse(result->out, nullptr, false);
}

TEST(RunJunit, HasATestcaseForEachDrillAndRepeat) {
  const json document = parse(render_run_junit(mixed_run()));
  std::vector<std::string> names, outcomes;
  for (const json& test : document["cases"]) {
    names.push_back(test["name"]);
    outcomes.push_back(test["outcome"]);
  }
  EXPECT_THAT(
      names, ::testing::ElementsAre("switchover (repeat 1)", "switchover (repeat 2)", "switchover (repeat 3)",
                                    "kill-postmaster", "stop-pooler", "power-off"));
  EXPECT_THAT(outcomes, ::testing::ElementsAre("passed", "passed", "passed", "failure", "error", "error"));
  EXPECT_EQ(document["suite"]["name"], "smoke");
  EXPECT_EQ(document["suite"]["tests"], "6");
  EXPECT_EQ(document["suite"]["failures"], "1");
  EXPECT_EQ(document["suite"]["errors"], "2");
  EXPECT_EQ(document["root"]["skipped"], "0");
  EXPECT_EQ(document["suite"]["timestamp"], "2026-11-30T18:45:00.000Z");
  EXPECT_EQ(document["properties"]["seed"], "42");
}

TEST(RunJunit, SaysWhyATestcaseIsRed) {
  const json document = parse(render_run_junit(mixed_run()));
  const json& failed = document["cases"][3];
  EXPECT_EQ(failed["message"], "outage_s (read_write, fresh) was 41.2 s, limit 30 s");
  EXPECT_THAT(failed["text"].get<std::string>(),
              HasSubstr("3 of 4,812 acknowledged writes are not on the leader"));
  EXPECT_THAT(failed["out"].get<std::string>(), HasSubstr("writes were down 41.2 s"));
  EXPECT_EQ(document["cases"][4]["type"], "inconclusive");
  EXPECT_EQ(document["cases"][5]["type"], "refused");
  EXPECT_EQ(document["cases"][5]["message"], "pgnode03 lags by 1.2 GiB: wait until it has caught up");
}

TEST(RunJunit, HoldsNumbersThatWereMeasuredAsProperties) {
  const json document = parse(render_run_junit(mixed_run()));
  const json& failed = document["cases"][3]["properties"];
  EXPECT_EQ(failed["outage_s pg1:5000/read_write/fresh"], "41.25");
  EXPECT_EQ(failed["lost"], "3");
  EXPECT_EQ(failed["rpo_bytes"], "1536");
  EXPECT_EQ(failed["full_health_s"], "43.25");
  EXPECT_FALSE(document["cases"][4]["properties"].contains("outage_s pg1:5000/read_write/fresh"))
      << "not measured is absent, and not 0";
}

TEST(RunJunit, TellsEveryVerdictApart) {
  const std::vector<std::pair<Verdict, std::string>> outcomes{
      {Verdict::passed, "passed"}, {Verdict::failed, "failure"}, {Verdict::inconclusive, "error"},
      {Verdict::refused, "error"}, {Verdict::aborted, "error"},  {Verdict::skipped, "skipped"}};
  for (const auto& [verdict, outcome] : outcomes) {
    RunResult run = passed_run();
    run.verdict = run.drills[0].verdict = run.drills[0].repeats[0].verdict = verdict;
    const json document = parse(render_run_junit(run));
    ASSERT_EQ(document["cases"].size(), 1u) << to_string(verdict);
    EXPECT_EQ(document["cases"][0]["outcome"], outcome) << to_string(verdict);
  }
}

TEST(RunJunit, IsNeverGreenerThanTheRun) {
  RunResult cut_short = passed_run();
  cut_short.verdict = cut_short.drills[0].verdict = Verdict::inconclusive;
  cut_short.drills[0].reasons = {"repeat 2 was never begun"};
  const json drill = parse(render_run_junit(cut_short))["cases"];
  ASSERT_EQ(drill.size(), 2u);
  EXPECT_EQ(drill[1]["name"], "switchover (whole drill)");
  EXPECT_EQ(drill[1]["message"], "repeat 2 was never begun");

  RunResult aborted = passed_run();
  aborted.verdict = Verdict::aborted;
  aborted.reasons = {"stopped by a person"};
  const json run = parse(render_run_junit(aborted))["cases"];
  ASSERT_EQ(run.size(), 2u);
  EXPECT_EQ(run[1]["outcome"], "error");
  EXPECT_EQ(run[1]["message"], "stopped by a person");

  EXPECT_EQ(parse(render_run_junit(RunResult{}))["cases"][0]["outcome"], "error") << "a run without drills";
}

TEST(RunJunit, IsXmlWhateverServersSay) {
  const json document = parse(render_run_junit(hostile_run()));
  const std::string name = document["cases"][3]["name"];
  EXPECT_THAT(name, HasSubstr("]]> <b a='\"'>&amp; "));
  EXPECT_THAT(name, HasSubstr("\n# h\r|`x`|"));
  EXPECT_EQ(name.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace pgfiredrill
