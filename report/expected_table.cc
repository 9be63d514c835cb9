#include "report/expected_table.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/run_words.h"
#include "report/utf8.h"

namespace pgfiredrill {

namespace {

constexpr std::size_t kNameShown = 32;
constexpr const char* kNone = "-";

/// The expectation that the drill is about: its first one of an outage, one that planning made a number of
/// before others.
std::optional<std::size_t> told_expectation(const DrillPlan& plan) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < plan.expectations.size(); ++i) {
    const Expectation& expectation = plan.expectations[i];
    if (expectation.metric != "outage_s") continue;
    if (!expectation.basis.empty()) return i;
    if (!first) first = i;
  }
  return first;
}

bool about_reads(const Expectation& expectation) {
  return expectation.where.access == to_string(Access::read_only);
}

/// The number that both ends share their unit with: "24 to 49 s".
std::string range_text(double min_s, double max_s) {
  const std::string most = seconds_text(max_s);
  const std::string least = seconds_text(min_s);
  if (least == most) return most;
  return least.substr(0, least.size() - 2) + " to " + most;
}

std::string expected_cell(const DrillPlan& plan, std::optional<std::size_t> told) {
  if (!plan.budget) return kNone;
  const bool reads = told && about_reads(plan.expectations[*told]);
  const OutageBudget& outage = reads ? plan.budget->read_only : plan.budget->read_write;
  std::string text = "not known";
  if (outage.min_s && outage.max_s) text = range_text(*outage.min_s, *outage.max_s);
  return (reads ? "reads " : "") + text;
}

std::string measured_cell(const DrillResult& drill, std::optional<std::size_t> told) {
  std::vector<double> values;
  bool at_least = false;
  for (const RepeatResult& repeat : drill.repeats) {
    if (!told || *told >= repeat.expectations.size()) continue;
    const ExpectationResult& result = repeat.expectations[*told];
    if (!result.measured) continue;
    values.push_back(*result.measured);
    at_least = at_least || result.why.starts_with("at least");
  }
  if (values.empty()) return "not measured";
  std::sort(values.begin(), values.end());
  const std::string worst = (at_least ? "at least " : "") + seconds_text(values.back());
  if (values.size() == 1) return worst;
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return worst + ", median " + seconds_text(median);
}

}  // namespace

std::vector<ExpectedRow> expected_rows(const RunResult& run) {
  std::vector<ExpectedRow> rows;
  for (const DrillResult& drill : run.drills) {
    const auto told = told_expectation(drill.plan);
    rows.push_back({.drill = printable(drill.plan.name, kNameShown),
                    .expected = expected_cell(drill.plan, told),
                    .measured = measured_cell(drill, told),
                    .verdict = drill.verdict});
  }
  return rows;
}

}  // namespace pgfiredrill
