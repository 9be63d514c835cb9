#include "suites/suite.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include <fnmatch.h>

#include "base/text.h"
#include "cluster/config/yaml_document.h"
#include "fault-injectors/fault.h"
#include "measure/judge.h"
#include "record/files.h"
#include "record/traffic_path.h"
#include "suites/built_in.h"

namespace pgfiredrill {
namespace {

constexpr int kMaximumRepeats = 1'000;
constexpr std::size_t kMaximumDrills = 100;
constexpr std::size_t kMaximumFurther = 3;

/// Ends the reading of one file from any depth; never leaves this file.
struct Refusal {
  Failure failure;
};

/// Reads one document; every complaint names the line and what was expected there.
class SuiteReader {
 public:
  SuiteReader(const YamlDocument& document, const std::string& where) : document_{document}, where_{where} {}

  Suite read() {
    Suite suite{.source = where_};
    bool named = false;
    read_mapping(document_.root(), "a suite",
                 {{"suite",
                   [&](Node node) {
                     suite.name = name(node);
                     named = true;
                   }},
                  {"description", [&](Node node) { suite.description = text(node); }},
                  {"traffic", [&](Node node) { read_traffic(node, suite); }},
                  {"needs_every_drill", [&](Node value) { suite.needs_every_drill = flag(value); }},
                  {"reconnect_capacity", [&](Node node) { suite.reconnect_capacity = flag(node); }},
                  {"drills", [&](Node node) { read_drills(node, suite); }}});
    if (!named) refuse(document_.root(), "the suite has no name", "`suite: NAME`");
    if (suite.drills.empty()) refuse(document_.root(), "the suite has no drill", "`drills:` with a list");
    return suite;
  }

 private:
  using Node = YamlDocument::Node;
  using Fields = std::vector<std::pair<std::string, std::function<void(Node)>>>;

  [[noreturn]] void refuse(Node node, const std::string& what, const std::string& expected) const {
    throw Refusal{{.kind = FailureKind::malformed,
                   .what = "read the suite",
                   .where = where_ + " line " + std::to_string(document_.line(node)),
                   .came_back = one_line(what),
                   .hint = "Expected " + expected + "."}};
  }

  void read_mapping(Node node, const std::string& what, const Fields& fields) const {
    if (document_.kind(node) != YamlDocument::Kind::mapping) {
      refuse(node, what + " is no mapping", "keys and values: " + known(fields));
    }
    std::set<std::string> seen;
    for (const auto& [key_node, value] : document_.pairs(node)) {
      const std::string key = document_.text(key_node).value_or("");
      const auto field =
          std::find_if(fields.begin(), fields.end(), [&](const auto& known) { return known.first == key; });
      if (field == fields.end()) {
        refuse(key_node, "unknown key '" + key + "' in " + what, "one of " + known(fields));
      }
      if (!seen.insert(key).second) refuse(key_node, "'" + key + "' stands twice in " + what, "it once");
      field->second(value);
    }
  }

  static std::string known(const Fields& fields) {
    std::vector<std::string> names;
    for (const auto& field : fields) names.push_back(field.first);
    return join(names, ", ");
  }

  std::string text(Node node) const {
    const auto value = document_.text(node);
    if (!value) refuse(node, "the value is no text", "a text");
    return *value;
  }

  /// Names become parts of file names, JSON keys and shell patterns.
  std::string name(Node node) const {
    const std::string value = text(node);
    const bool fits = !value.empty() && value.size() <= 60 &&
                      value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
    if (!fits) refuse(node, "'" + value + "' is no name", "lower-case letters, digits, '-' and '_'");
    return value;
  }

  std::string one_of(Node node, const std::vector<std::string>& allowed) const {
    const std::string value = text(node);
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
      refuse(node, "'" + value + "' is not known here", "one of " + join(allowed, ", "));
    }
    return value;
  }

  bool flag(Node node) const { return one_of(node, {"true", "false"}) == "true"; }

  double number(Node node, double least, double most, const std::string& unit) const {
    const std::string value = document_.text(node).value_or("");
    char* end = nullptr;
    const double parsed = std::strtod(value.c_str(), &end);
    const bool whole = !value.empty() && end == value.c_str() + value.size() &&
                       value.find_first_not_of("0123456789.+-eE") == std::string::npos;
    if (!whole || !std::isfinite(parsed) || parsed < least || parsed > most) {
      refuse(node, "'" + value + "' will not do",
             "a number of " + unit + " from " + short_number(least) + " to " + short_number(most));
    }
    return parsed;
  }

  static std::string short_number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", value);
    return buffer;
  }

  int integer(Node node, int least, int most, const std::string& unit) const {
    const double value = number(node, least, most, unit);
    if (value != std::floor(value)) refuse(node, "a fraction", "a whole number of " + unit);
    return static_cast<int>(value);
  }

  void read_traffic(Node node, Suite& suite) const {
    read_mapping(
        node, "traffic",
        {{"pooled_hz", [&](Node value) { suite.pooled_hz = number(value, 1, 1'000, "canaries a second"); }},
         {"ledger_hz", [&](Node value) { suite.ledger_hz = number(value, 1, 120, "writes a second"); }}});
  }

  void read_drills(Node node, Suite& suite) const {
    const std::vector<Node> members = document_.members(node);
    if (members.empty()) refuse(node, "no drills", "a list of drills");
    if (members.size() > kMaximumDrills) refuse(node, "too many drills", "at most 100");
    std::set<std::string> names;
    for (const Node member : members) {
      suite.drills.push_back(read_drill(member));
      if (!names.insert(suite.drills.back().plan.name).second) {
        refuse(member, "two drills are called '" + suite.drills.back().plan.name + "'", "a name of its own");
      }
    }
  }

  DrillSpec read_drill(Node node) const {
    DrillSpec drill;
    DrillPlan& plan = drill.plan;
    std::optional<Node> expectations;
    read_mapping(
        node, "a drill",
        {{"name", [&](Node value) { plan.name = name(value); }},
         {"description", [&](Node value) { plan.description = text(value); }},
         {"why", [&](Node value) { plan.why = text(value); }},
         {"fault", [&](Node value) { plan.fault = read_fault(value, false); }},
         {"then", [&](Node value) { plan.then = read_further(value); }},
         {"repeats", [&](Node value) { plan.repeats = integer(value, 1, kMaximumRepeats, "repeats"); }},
         {"baseline_s", [&](Node value) { plan.baseline_s = number(value, 3, 3'600, "seconds"); }},
         {"observe_s",
          [&](Node value) {
            plan.observe_s = number(value, 5, 3'600, "seconds");
            drill.observe_given = true;
          }},
         {"health_deadline_s",
          [&](Node value) { plan.health_deadline_s = number(value, 10, 7'200, "seconds"); }},
         {"expectations", [&](Node value) {
            expectations = value;
            plan.expectations = read_expectations(value);
          }}});
    if (plan.name.empty()) refuse(node, "a drill without a name", "`name:`");
    if (plan.fault.kind.empty()) refuse(node, "a drill without a fault", "`fault: {kind: …, target: …}`");
    if (expectations) check_holds(*expectations, plan);
    return drill;
  }

  void check_holds(Node node, const DrillPlan& plan) const {
    const auto holds = [](const FaultSpec& spec) { return fault::find_fault_kind(spec.kind)->holds; };
    if (holds(plan.fault) || std::any_of(plan.then.begin(), plan.then.end(), holds)) return;
    for (const Expectation& expectation : plan.expectations) {
      if (expectation.basis != kLimitHold) continue;
      refuse(node, "the limit `hold`, and nothing is held: " + plan.fault.kind + " is over at once",
             "a number, or `budget`");
    }
  }

  /// What else it may say depends on its kind, which is looked for first.
  FaultSpec read_fault(Node node, bool further) const {
    const fault::FaultKind& kind = kind_of(node);
    FaultSpec fault{.kind = kind.name, .target = kind.targets.front()};
    Fields fields{{"kind", [](Node) {}},
                  {"target", [&](Node value) { fault.target = read_target(value, kind); }}};
    for (const fault::FaultOption& option : kind.options) {
      fault.options[option.name] = option.values.front();
      fields.emplace_back(option.name,
                          [&](Node value) { fault.options[option.name] = one_of(value, option.values); });
    }
    if (kind.holds) {
      fields.emplace_back("hold_s", [&](Node value) { fault.hold_s = number(value, 1, 3'600, "seconds"); });
    }
    if (further) {
      fields.emplace_back("after_s", [&](Node value) { fault.after_s = number(value, 0, 3'600, "seconds"); });
    }
    read_mapping(node, "the fault " + fault.kind, fields);
    return fault;
  }

  const fault::FaultKind& kind_of(Node node) const {
    if (document_.kind(node) != YamlDocument::Kind::mapping)
      refuse(node, "a fault is no mapping", "`fault: {kind: …, target: …}`");
    for (const auto& [key, value] : document_.pairs(node)) {
      if (document_.text(key).value_or("") != "kind") continue;
      return *fault::find_fault_kind(one_of(value, fault_names()));
    }
    refuse(node, "a fault without a kind", "one of " + join(fault_names(), ", "));
  }

  std::string read_target(Node node, const fault::FaultKind& kind) const {
    if (!kind.names) return one_of(node, kind.targets);
    const std::string target = text(node);
    const bool fits = !target.empty() && target.size() <= 255 &&
                      target.find_first_not_of(
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                          "-_.:") == std::string::npos;
    if (!fits) refuse(node, "'" + target + "' is no target", join(kind.targets, ", ") + ", or a host's name");
    return target;
  }

  std::vector<FaultSpec> read_further(Node node) const {
    std::vector<FaultSpec> faults;
    for (const Node member : document_.members(node)) faults.push_back(read_fault(member, true));
    if (faults.empty() || faults.size() > kMaximumFurther)
      refuse(node, "no list of one to three faults", "a list");
    return faults;
  }

  static std::vector<std::string> fault_names() {
    std::vector<std::string> names;
    for (const auto& kind : fault::fault_kinds()) names.emplace_back(kind.name);
    return names;
  }

  std::vector<Expectation> read_expectations(Node node) const {
    if (document_.kind(node) != YamlDocument::Kind::list) {
      refuse(node, "expectations are no list", "a list of {metric, where, over, limit}");
    }
    std::vector<Expectation> expectations;
    for (const Node member : document_.members(node)) expectations.push_back(read_expectation(member));
    return expectations;
  }

  Expectation read_expectation(Node node) const {
    Expectation expectation;
    std::optional<Node> where, limit;
    read_mapping(node, "an expectation",
                 {{"metric", [&](Node value) { expectation.metric = one_of(value, metric_names()); }},
                  {"where",
                   [&](Node value) {
                     where = value;
                     expectation.where = read_where(value);
                   }},
                  {"over", [&](Node value) { expectation.over = read_fold(value); }},
                  {"limit", [&](Node value) { limit = value; }}});
    const Metric* metric = find_metric(expectation.metric);
    if (metric == nullptr)
      refuse(node, "an expectation without a metric", "one of " + join(metric_names(), ", "));
    if (!limit) refuse(node, "an expectation without a limit", "`limit:` in " + std::string{metric->unit});
    read_limit(*limit, *metric, expectation);
    if (where && !metric->of_paths) {
      refuse(*where, expectation.metric + " is of the whole drill", "no `where`");
    }
    return expectation;
  }

  /// A number, or a word of which planning makes one.
  void read_limit(Node node, const Metric& metric, Expectation& expectation) const {
    const std::string value = document_.text(node).value_or("");
    const bool of_outages = metric.of_paths && std::string{"s"} == metric.unit;
    const bool of_losses = std::string{"lost"} == metric.name;
    if (of_outages && (value == kLimitBudget || value == kLimitHold)) {
      expectation.basis = value;
    } else if (of_losses && value == kLimitPromise) {
      expectation.basis = value;
    } else if (value == kLimitBudget || value == kLimitHold || value == kLimitPromise) {
      refuse(node, "the limit `" + value + "` is none of " + metric.name,
             of_outages  ? "a number, `budget` or `hold`"
             : of_losses ? "a number or `promise`"
                         : "a number in " + std::string{metric.unit});
    } else {
      expectation.limit = number(node, 0, 1e15, "the metric's unit");
    }
  }

  static std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    for (const Metric& metric : metrics()) names.emplace_back(metric.name);
    return names;
  }

  Fold read_fold(Node node) const {
    const std::string fold = one_of(node, {"max", "min", "sum"});
    if (fold == "min") return Fold::min;
    return fold == "sum" ? Fold::sum : Fold::max;
  }

  Expectation::Where read_where(Node node) const {
    Expectation::Where where;
    read_mapping(node, "`where`",
                 {{"entrypoint", [&](Node value) { where.entrypoint = text(value); }},
                  {"depth",
                   [&](Node value) {
                     where.depth = one_of(value, {"balancer", "pooler", "server"});
                   }},
                  {"access",
                   [&](Node value) {
                     where.access = one_of(value, {"read_write", "read_only"});
                   }},
                  {"session", [&](Node value) {
                     where.session = one_of(value, {"fresh", "pooled"});
                   }}});
    return where;
  }

  const YamlDocument& document_;
  const std::string& where_;
};

Failure unknown_suite(const std::string& name) {
  std::vector<std::string> names;
  for (const BuiltInSuite& suite : kBuiltInSuites) names.emplace_back(suite.name);
  return {.kind = FailureKind::missing,
          .what = "find the suite '" + one_line(name) + "'",
          .came_back = "it is neither built in nor a file",
          .hint = "Built in: " + join(names, ", ") + ". Or give the path of a YAML file."};
}

}  // namespace

Result<Suite> parse_suite(const std::string& yaml, const std::string& where) {
  const ConfigFile file{.name = "the suite", .where = where, .hint = "Correct it and run again."};
  const auto document = YamlDocument::parse(yaml, file);
  if (!document) return document.error();
  try {
    return SuiteReader{*document, where}.read();
  } catch (const Refusal& refusal) {
    return refusal.failure;
  }
}

Result<Suite> load_suite(const std::string& name_or_path) {
  for (const BuiltInSuite& suite : kBuiltInSuites) {
    if (name_or_path == suite.name)
      return parse_suite(suite.yaml, std::string{suite.name} + ".yaml (built in)");
  }
  const auto text = read_whole_file(name_or_path, kMaximumConfigBytes);
  if (!text && text.error().kind == FailureKind::malformed) return text.error();
  return text ? parse_suite(*text, name_or_path) : unknown_suite(name_or_path);
}

std::vector<Suite> built_in_suites() {
  std::vector<Suite> suites;
  for (const BuiltInSuite& suite : kBuiltInSuites) suites.push_back(load_suite(suite.name).value());
  return suites;
}

Result<Suite> filter_drills(Suite suite, const std::string& glob) {
  std::vector<DrillSpec> kept;
  for (const DrillSpec& drill : suite.drills) {
    if (::fnmatch(glob.c_str(), drill.plan.name.c_str(), 0) == 0) kept.push_back(drill);
  }
  if (kept.empty()) {
    std::vector<std::string> names;
    for (const DrillSpec& drill : suite.drills) names.push_back(drill.plan.name);
    return Failure{.kind = FailureKind::missing,
                   .what = "choose drills of " + suite.name + " by '" + one_line(glob) + "'",
                   .came_back = "none matches",
                   .hint = "The suite has: " + join(names, ", ") + "."};
  }
  suite.drills = std::move(kept);
  return suite;
}

}  // namespace pgfiredrill
