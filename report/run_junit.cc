#include "report/run_junit.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "measure/judge.h"
#include "report/run_words.h"
#include "report/xml_text.h"

namespace pgfiredrill {
namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

struct TestCase {
  std::string name;
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;
  std::string sentence;
  Properties properties;
};

bool is_error(Verdict verdict) {
  return verdict == Verdict::inconclusive || verdict == Verdict::refused || verdict == Verdict::aborted;
}

// ---- what becomes a testcase

void add_number(Properties& properties, const std::string& name, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) properties.emplace_back(name, fmt::format("{:.10g}", *number));
}

void add_number(Properties& properties, const std::string& name, const std::optional<std::size_t>& number) {
  if (number) properties.emplace_back(name, std::to_string(*number));
}

void add_path(Properties& properties, const PathResult& path) {
  const auto name = [&path](const char* metric) { return std::string{metric} + " " + path.path.id; };
  add_number(properties, name("outage_s"), path.outage_s);
  add_number(properties, name("unavailable_s"), path.unavailable_s);
  add_number(properties, name("error_s"), path.error_s);
  add_number(properties, name("stall_s"), path.stall_s);
  add_number(properties, name("longest_gap_s"), path.longest_gap_s);
  add_number(properties, name("partial_s"), path.partial_s);
  add_number(properties, name("availability_pct"), path.availability_pct);
  add_number(properties, name("resolution_s"), std::optional{path.resolution_s});
}

void add_durability(Properties& properties, const Durability& durability) {
  add_number(properties, "acknowledged", std::optional{durability.acknowledged});
  add_number(properties, "weak", std::optional{durability.weak});
  add_number(properties, "in_doubt", std::optional{durability.in_doubt});
  add_number(properties, "lost", durability.lost);
  add_number(properties, "weak_lost", durability.weak_lost);
  add_number(properties, "unexpected", durability.unexpected);
  add_number(properties, "duplicated", durability.duplicated);
  if (durability.rpo_bytes) properties.emplace_back("rpo_bytes", std::to_string(*durability.rpo_bytes));
}

TestCase case_of(const DrillResult& drill, const RepeatResult& repeat) {
  TestCase test{.name = drill.plan.name,
                .verdict = repeat.verdict,
                .reasons = repeat_reasons(repeat),
                .sentence = repeat_sentence(drill, repeat)};
  if (drill.plan.repeats > 1 || drill.repeats.size() > 1)
    test.name += fmt::format(" (repeat {})", repeat.repeat + 1);
  if (!repeat.injected_at.empty()) test.properties.emplace_back("injected_at", repeat.injected_at);
  if (!repeat.old_leader.empty()) test.properties.emplace_back("old_leader", repeat.old_leader);
  if (!repeat.new_leader.empty()) test.properties.emplace_back("new_leader", repeat.new_leader);
  for (const PathResult& path : repeat.paths) add_path(test.properties, path);
  if (repeat.durability) add_durability(test.properties, *repeat.durability);
  add_number(test.properties, "full_health_s", repeat.full_health_s);
  return test;
}

void add_drill(std::vector<TestCase>& tests, const DrillResult& drill) {
  Verdict shown = Verdict::passed;
  for (const RepeatResult& repeat : drill.repeats) {
    tests.push_back(case_of(drill, repeat));
    shown = worse(shown, repeat.verdict);
  }
  if (!drill.repeats.empty() && worse(shown, drill.verdict) == shown) return;
  tests.push_back({.name = drill.plan.name + (drill.repeats.empty() ? "" : " (whole drill)"),
                   .verdict = drill.verdict,
                   .reasons = drill_reasons(drill)});
}

std::vector<TestCase> cases_of(const RunResult& run) {
  std::vector<TestCase> tests;
  Verdict shown = Verdict::passed;
  for (const DrillResult& drill : run.drills) {
    add_drill(tests, drill);
    shown = worse(shown, drill.verdict);
  }
  if (tests.empty() || worse(shown, run.verdict) != shown) {
    tests.push_back({.name = "the whole run", .verdict = run.verdict, .reasons = run_reasons(run)});
  }
  return tests;
}

// ---- as XML

std::string attribute(const char* name, const std::string& value) {
  return fmt::format(" {}=\"{}\"", name, xml_text(value));
}

std::string properties_xml(const Properties& properties, const std::string& indent) {
  if (properties.empty()) return {};
  std::string xml = indent + "<properties>\n";
  for (const auto& [name, value] : properties)
    xml += indent + "  <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  return xml + indent + "</properties>\n";
}

std::string outcome_xml(const TestCase& test) {
  if (test.verdict == Verdict::passed) return {};
  const std::string reason = test.reasons.empty() ? "no reason was recorded" : test.reasons.front();
  if (test.verdict == Verdict::skipped) return "      <skipped" + attribute("message", reason) + "/>\n";
  const char* const element = is_error(test.verdict) ? "error" : "failure";
  std::string all;
  for (const std::string& one : test.reasons) all += xml_text(one) + "\n";
  return fmt::format("      <{}{}{}>{}</{}>\n", element, attribute("message", reason),
                     attribute("type", to_string(test.verdict)), all, element);
}

std::string case_xml(const TestCase& test, const std::string& suite) {
  std::string xml =
      "    <testcase" + attribute("classname", "pgfiredrill." + suite) + attribute("name", test.name) + ">\n";
  xml += properties_xml(test.properties, "      ");
  xml += outcome_xml(test);
  if (!test.sentence.empty()) xml += "      <system-out>" + xml_text(test.sentence) + "</system-out>\n";
  return xml + "    </testcase>\n";
}

std::string counts_xml(const std::vector<TestCase>& tests) {
  std::size_t failures = 0, errors = 0, skipped = 0;
  for (const TestCase& test : tests) {
    if (test.verdict == Verdict::failed) ++failures;
    if (test.verdict == Verdict::skipped) ++skipped;
    if (is_error(test.verdict)) ++errors;
  }
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests.size(), failures,
                     errors, skipped);
}

Properties run_properties(const RunResult& run) {
  const RunManifest& manifest = run.manifest;
  return {{"run", manifest.run_id},
          {"verdict", to_string(run.verdict)},
          {"cluster", manifest.cluster.name},
          {"postgres_version", manifest.cluster.postgres_version},
          {"patroni_version", manifest.cluster.patroni_version},
          {"pgfiredrill_version", manifest.tool_version},
          {"seed", std::to_string(manifest.seed)},
          {"repro", manifest.repro}};
}

}  // namespace

std::string render_run_junit(const RunResult& run) {
  const std::vector<TestCase> tests = cases_of(run);
  const std::string counts = counts_xml(tests);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += "<testsuites" + attribute("name", "pgfiredrill") + counts + ">\n";
  xml += "  <testsuite" + attribute("name", run.manifest.suite) + counts;
  if (!run.started_at.empty()) xml += attribute("timestamp", run.started_at);
  xml += ">\n" + properties_xml(run_properties(run), "    ");
  for (const TestCase& test : tests) xml += case_xml(test, run.manifest.suite);
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace pgfiredrill
