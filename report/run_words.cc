#include "report/run_words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "measure/expectations.h"
#include "measure/judge.h"
#include "report/terminal.h"
#include "report/utf8.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kTopicsNamed = 3;
constexpr const char* kNotMeasured = "not measured";

void add_once(std::vector<std::string>& sentences, const std::string& sentence) {
  if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
    sentences.push_back(sentence);
}

// ---- one metric over the repeats of a drill

/// "6.8 s", or "6.1 / 6.8 / 8.2 s" where they differ; the unit comes last and once.
std::string spread_text(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::string least = seconds_text(values.front());
  const std::string most = seconds_text(values.back());
  if (least == most) return most;
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  const auto without_unit = [](const std::string& text) { return text.substr(0, text.size() - 2); };
  return without_unit(least) + " / " + without_unit(seconds_text(median)) + " / " + most;
}

bool is_spread(const std::string& text) {
  return text.find('/') != std::string::npos;
}

// ---- outages

/// What applications suffer: neither paths that lead to one server whatever its role, nor paths where
/// trouble is expected, nor numbers that cannot be trusted.
bool tells_of_applications(const PathResult& path) {
  return path.path.needed_for_steady_state && path.path.pinned_member.empty() && path.instrument.valid &&
         path.outage_s.has_value();
}

const PathResult* worst_path(const RepeatResult& repeat, Access access) {
  const PathResult* worst = nullptr;
  for (const PathResult& path : repeat.paths) {
    if (path.path.access != access || !tells_of_applications(path)) continue;
    if (worst == nullptr || *path.outage_s > *worst->outage_s) worst = &path;
  }
  return worst;
}

bool still_down(const PathResult& path) {
  return !path.windows.empty() && path.windows.back().censored;
}

bool matches(const Expectation::Where& where, const TrafficPath& path) {
  const auto fits = [](const std::string& wanted, const std::string& is) {
    return wanted.empty() || wanted == is;
  };
  return fits(where.entrypoint, path.entrypoint) && fits(where.depth, to_string(path.depth)) &&
         fits(where.access, to_string(path.access)) && fits(where.session, to_string(path.session));
}

/// The strictest limit for the outage of this path. What holds for the best or for all together (`over: min`,
/// `sum`) is no limit of one path.
std::optional<double> limit_for(const DrillPlan& plan, const TrafficPath& path) {
  std::optional<double> limit;
  for (const Expectation& expectation : plan.expectations) {
    if (expectation.metric != "outage_s" || expectation.over != Fold::max) continue;
    if (!matches(expectation.where, path)) continue;
    limit = limit ? std::min(*limit, expectation.limit) : expectation.limit;
  }
  return limit;
}

using Repeats = std::vector<const RepeatResult*>;

bool has_paths(const Repeats& repeats, Access access) {
  for (const RepeatResult* repeat : repeats) {
    for (const PathResult& path : repeat->paths)
      if (path.path.access == access) return true;
  }
  return false;
}

/// "6.8 s (limit 30 s)"; empty where there was no such traffic.
std::string outage_text(const DrillPlan& plan, const Repeats& repeats, Access access) {
  if (!has_paths(repeats, access)) return {};
  std::vector<double> outages;
  std::optional<double> limit;
  bool at_least = false;
  for (const RepeatResult* repeat : repeats) {
    const PathResult* const path = worst_path(*repeat, access);
    if (path == nullptr) continue;
    outages.push_back(*path->outage_s);
    at_least = at_least || still_down(*path);
    const auto of_path = limit_for(plan, path->path);
    if (of_path) limit = limit ? std::min(*limit, *of_path) : *of_path;
  }
  if (outages.empty()) return kNotMeasured;
  const std::string text = (at_least ? "at least " : "") + spread_text(outages);
  std::vector<std::string> remarks;
  if (is_spread(text)) remarks.push_back("min / median / max");
  if (limit) remarks.push_back("limit " + seconds_text(*limit));
  return remarks.empty() ? text : text + " (" + join(remarks, ", ") + ")";
}

std::string outages_sentence(const DrillPlan& plan, const Repeats& repeats) {
  const std::string writes = outage_text(plan, repeats, Access::read_write);
  const std::string reads = outage_text(plan, repeats, Access::read_only);
  std::vector<std::string> parts;
  if (!writes.empty()) {
    parts.push_back((writes == kNotMeasured ? "outage of writes " : "writes were down ") + writes);
  }
  if (!reads.empty()) {
    const bool alone = writes.empty() && reads != kNotMeasured;
    parts.push_back((reads == kNotMeasured ? "outage of reads "
                     : alone               ? "reads were down "
                                           : "reads ") +
                    reads);
  }
  return join(parts, ", ");
}

// ---- durability and recovery

struct LedgerSum {
  std::size_t repeats = 0;
  std::size_t acknowledged = 0, weak = 0;
  std::size_t lost = 0, weak_lost = 0, unexpected = 0, duplicated = 0;
  bool measured = true;
};

LedgerSum sum_ledgers(const Repeats& repeats) {
  LedgerSum sum;
  for (const RepeatResult* repeat : repeats) {
    if (!repeat->durability) continue;
    const Durability& durability = *repeat->durability;
    ++sum.repeats;
    sum.acknowledged += durability.acknowledged;
    sum.weak += durability.weak;
    sum.lost += durability.lost.value_or(0);
    sum.weak_lost += durability.weak_lost.value_or(0);
    sum.unexpected += durability.unexpected.value_or(0);
    sum.duplicated += durability.duplicated.value_or(0);
    sum.measured = sum.measured && durability.lost.has_value();
  }
  return sum;
}

std::string durability_sentence(const Repeats& repeats) {
  const LedgerSum sum = sum_ledgers(repeats);
  if (sum.repeats == 0) return {};
  if (!sum.measured)
    return fmt::format("loss not measured ({} acknowledged writes)", count_text(sum.acknowledged));
  std::string text =
      fmt::format("{} of {} acknowledged writes lost", count_text(sum.lost), count_text(sum.acknowledged));
  if (sum.weak > 0) {
    text += fmt::format(", {} of {} weakly acknowledged", count_text(sum.weak_lost), count_text(sum.weak));
  }
  if (sum.duplicated > 0) text += fmt::format(", {} there twice", count_text(sum.duplicated));
  if (sum.unexpected > 0)
    text += fmt::format(", {} failed ones there all the same", count_text(sum.unexpected));
  return text;
}

std::string health_sentence(const Repeats& repeats) {
  std::vector<double> times;
  std::size_t injected = 0;
  for (const RepeatResult* repeat : repeats) {
    if (repeat->injected_at.empty()) continue;
    ++injected;
    if (repeat->full_health_s) times.push_back(*repeat->full_health_s);
  }
  if (injected == 0) return {};
  if (times.empty()) return "not seen fully healthy again";
  std::string text = "fully healthy after " + spread_text(times);
  if (times.size() < injected) text += fmt::format(", in {} of {} repeats", times.size(), injected);
  return text;
}

/// It was stopped before its fault: there is nothing to measure, and its reason says it all.
bool never_injected(const RepeatResult& repeat) {
  return repeat.injected_at.empty();
}

std::string sentence_of(const DrillPlan& plan, const Repeats& repeats) {
  if (std::all_of(repeats.begin(), repeats.end(),
                  [](const RepeatResult* repeat) { return never_injected(*repeat); })) {
    return "no fault was injected";
  }
  const std::string text =
      join({outages_sentence(plan, repeats), durability_sentence(repeats), health_sentence(repeats)}, "; ");
  return text.empty() ? "nothing was measured" : text;
}

// ---- reasons

std::string expectation_sentence(const ExpectationResult& result) {
  const Expectation& expectation = result.expectation;
  const std::string limit = value_text(expectation.metric, expectation.limit);
  std::string measured = "was not measured";
  if (result.measured) {
    const std::string value = value_text(expectation.metric, *result.measured);
    // "30 s, limit 30 s" would only puzzle.
    measured = "was " + (value == limit ? fmt::format("{:.6g}", *result.measured) : value);
  }
  std::string text = fmt::format("{} {}, limit {}", printable(describe(expectation)), measured, limit);
  if (!result.why.empty()) text += ": " + printable(result.why);
  return text;
}

/// A reason that repeats an expectation which has a sentence of its own.
bool is_about_expectation(const std::string& reason, const std::vector<ExpectationResult>& results) {
  return std::any_of(results.begin(), results.end(), [&](const ExpectationResult& result) {
    return !result.passed && reason.find(describe(result.expectation) + ":") != std::string::npos;
  });
}

std::string repeat_prefix(const DrillResult& drill, const RepeatResult& repeat) {
  return drill.plan.repeats > 1 || drill.repeats.size() > 1 ? fmt::format("repeat {}: ", repeat.repeat + 1)
                                                            : std::string{};
}

/// A sentence of one of the repeats already says it, whatever stands before it.
bool is_said(const std::vector<std::string>& sentences, const std::string& reason, const DrillResult& drill) {
  for (const RepeatResult& repeat : drill.repeats) {
    if (is_about_expectation(reason, repeat.expectations)) return true;
    for (const std::string& of_repeat : repeat.reasons)
      if (!of_repeat.empty() && reason.ends_with(of_repeat)) return true;
  }
  return std::find(sentences.begin(), sentences.end(), printable(reason)) != sentences.end();
}

// ---- trust

/// Texts that share a reason, in the order in which the reasons came.
class ByReason {
 public:
  void add(const std::string& reason, const std::string& topic) {
    const auto known = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& entry) { return entry.first == reason; });
    if (known == entries_.end()) {
      entries_.push_back({reason, {topic}});
    } else {
      add_once(known->second, topic);
    }
  }
  [[nodiscard]] const auto& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> entries_;
};

std::string topics_text(const std::vector<std::string>& topics) {
  if (topics.size() <= kTopicsNamed + 1) return join(topics, ", ");
  return fmt::format("{} and {} more", join({topics.begin(), topics.begin() + kTopicsNamed}, ", "),
                     topics.size() - kTopicsNamed);
}

/// "/paths/3/outage_s" → "outage_s of pg1:5000/read_write/fresh".
std::string topic_of(const std::string& pointer, const RepeatResult& repeat) {
  constexpr std::string_view kPaths = "/paths/";
  const auto slash = pointer.rfind('/');
  const std::string field = slash == std::string::npos ? pointer : pointer.substr(slash + 1);
  if (!pointer.starts_with(kPaths)) return printable(field);
  std::size_t index = 0;
  for (std::size_t i = kPaths.size(); i < pointer.size() && pointer[i] >= '0' && pointer[i] <= '9'; ++i)
    index =
        std::min<std::size_t>(index * 10 + static_cast<std::size_t>(pointer[i] - '0'), repeat.paths.size());
  if (index >= repeat.paths.size()) return printable(field);
  const std::string id = printable(repeat.paths[index].path.id);
  return slash <= kPaths.size() ? id : printable(field) + " of " + id;
}

void remark_on_paths(const RepeatResult& repeat, std::vector<std::string>& remarks) {
  ByReason distrusted;
  for (const PathResult& path : repeat.paths) {
    if (!path.instrument.valid) distrusted.add(printable(path.instrument.why), printable(path.path.id));
  }
  for (const auto& [why, paths] : distrusted.entries())
    add_once(remarks, fmt::format("{} cannot be trusted: {}", topics_text(paths), why));
  for (const PathResult& path : repeat.paths) {
    if (!still_down(path) || !tells_of_applications(path)) continue;
    const Window& last = path.windows.back();
    add_once(remarks, fmt::format("{} was still down when observation ended, after {}",
                                  printable(path.path.id), seconds_text(last.end_s - last.start_s)));
  }
}

/// What needs no remark: that nothing was lost, that what was down has no latency, and numbers of paths that
/// are not trusted anyway.
bool goes_without_saying(const NotMeasured& missing, const RepeatResult& repeat) {
  if (missing.pointer == "/durability/rpo_bytes") {
    return repeat.durability && repeat.durability->lost == std::size_t{0};
  }
  if (missing.pointer.find("/latency/") != std::string::npos) return true;
  for (std::size_t i = 0; i < repeat.paths.size(); ++i) {
    const std::string prefix = fmt::format("/paths/{}/", i);
    if (!repeat.paths[i].instrument.valid && missing.pointer.starts_with(prefix)) return true;
  }
  return false;
}

void remark_on_gaps(const RepeatResult& repeat, std::vector<std::string>& remarks) {
  ByReason missing;
  for (const NotMeasured& one : repeat.not_measured) {
    if (!goes_without_saying(one, repeat)) missing.add(printable(one.reason), topic_of(one.pointer, repeat));
  }
  for (const auto& [reason, topics] : missing.entries())
    add_once(remarks, fmt::format("{} not measured: {}", topics_text(topics), reason));
  if (!repeat.durability) return;
  for (const NodeDurability& node : repeat.durability->nodes) {
    if (node.read) continue;
    add_once(remarks, fmt::format("the ledger on {} was not read: {}", printable(node.member),
                                  printable(node.why_not)));
  }
}

/// Each remark once, with the repeats that it is about.
void remark_on_drill(const DrillResult& drill, std::vector<std::string>& remarks) {
  ByReason repeats_of;
  for (const RepeatResult& repeat : drill.repeats) {
    if (never_injected(repeat)) continue;
    std::vector<std::string> of_repeat;
    remark_on_paths(repeat, of_repeat);
    remark_on_gaps(repeat, of_repeat);
    for (const std::string& remark : of_repeat) repeats_of.add(remark, std::to_string(repeat.repeat + 1));
  }
  for (const auto& [remark, repeats] : repeats_of.entries()) {
    std::string name = printable(drill.plan.name);
    if (drill.plan.repeats > 1) {
      name += fmt::format(" (repeat{} {})", repeats.size() == 1 ? "" : "s", topics_text(repeats));
    }
    remarks.push_back(name + ": " + remark);
  }
}

}  // namespace

std::string seconds_text(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 0.1) return fmt::format("{:.2g} s", seconds);
  std::string text = fmt::format("{:.1f}", seconds);
  if (size >= 99.95) text = fmt::format("{:.0f}", seconds);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + " s";
}

std::string count_text(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string counted(std::size_t count, const std::string& thing) {
  return count_text(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string value_text(const std::string& metric, double value) {
  const Metric* const known = find_metric(metric);
  const std::string unit = known != nullptr ? known->unit : "";
  if (unit == "s") return seconds_text(value);
  if (unit == "bytes" && std::abs(value) < 1e18) return bytes_text(static_cast<long long>(value));
  if (unit == "%") return fmt::format("{:.5g} %", value);
  return fmt::format("{:.10g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string drills_sentence(const RunResult& run) {
  if (run.drills.empty()) return "no drill";
  std::map<Verdict, std::size_t> counts;
  for (const DrillResult& drill : run.drills) ++counts[drill.verdict];
  const std::size_t passed = counts[Verdict::passed];
  if (passed == run.drills.size())
    return passed == 1 ? "1 drill passed" : fmt::format("all {} drills passed", passed);
  std::vector<std::string> parts{fmt::format("{} of {} passed", passed, counted(run.drills.size(), "drill"))};
  for (auto count = counts.rbegin(); count != counts.rend(); ++count) {
    if (count->first == Verdict::passed) continue;
    parts.push_back(fmt::format("{} {}", count->second, to_string(count->first)));
  }
  return join(parts, ", ");
}

std::string drill_sentence(const DrillResult& drill) {
  Repeats repeats;
  for (const RepeatResult& repeat : drill.repeats) repeats.push_back(&repeat);
  return sentence_of(drill.plan, repeats);
}

std::string repeat_sentence(const DrillResult& drill, const RepeatResult& repeat) {
  return sentence_of(drill.plan, {&repeat});
}

std::vector<std::string> repeat_reasons(const RepeatResult& repeat) {
  std::vector<std::string> sentences;
  for (const ExpectationResult& result : repeat.expectations)
    if (!result.passed && !never_injected(repeat)) add_once(sentences, expectation_sentence(result));
  for (const std::string& reason : repeat.reasons)
    if (!is_about_expectation(reason, repeat.expectations)) add_once(sentences, printable(reason));
  return sentences;
}

std::vector<std::string> drill_reasons(const DrillResult& drill) {
  std::vector<std::string> sentences;
  for (const RepeatResult& repeat : drill.repeats) {
    for (const std::string& reason : repeat_reasons(repeat))
      add_once(sentences, repeat_prefix(drill, repeat) + reason);
  }
  for (const std::string& reason : drill.reasons)
    if (!is_said(sentences, reason, drill)) sentences.push_back(printable(reason));
  return sentences;
}

std::vector<std::string> run_reasons(const RunResult& run) {
  std::vector<std::string> sentences;
  for (const std::string& reason : run.reasons) {
    const bool of_drill = std::any_of(
        run.drills.begin(), run.drills.end(),
        [&reason](const DrillResult& drill) { return reason.starts_with(drill.plan.name + ": "); });
    if (!of_drill) add_once(sentences, printable(reason));
  }
  return sentences;
}

std::vector<std::string> trust_remarks(const RunResult& run) {
  std::vector<std::string> remarks;
  if (!run.ended && run_reasons(run).empty()) {
    remarks.push_back("the record has no end: the run is still going on, or its program was killed");
  }
  for (const DrillResult& drill : run.drills) remark_on_drill(drill, remarks);
  return remarks;
}

const std::string& not_measured_yet() {
  static const std::string text = "phases of the outage and backups";
  return text;
}

}  // namespace pgfiredrill
