#include "record/manifest.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "record/flat_json.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Operations hold the path's index in 16 bits.
constexpr std::size_t kMostPaths = 65'536;

// ---- names of enumerators in the file

constexpr std::array kDepths{Depth::balancer, Depth::pooler, Depth::server};
constexpr std::array kAccesses{Access::read_write, Access::read_only};
constexpr std::array kSessions{SessionKind::fresh, SessionKind::pooled};
constexpr std::array kPurposes{Purpose::canary, Purpose::ledger, Purpose::heartbeat};
constexpr std::array kFinalVerdicts{Verdict::passed, Verdict::failed};
constexpr std::array kFolds{Fold::max, Fold::min, Fold::sum};
constexpr std::array kForecasts{FailoverForecast::never, FailoverForecast::always, FailoverForecast::either};

// ---- writing

ordered_json expectation_json(const Expectation& expectation) {
  return {{"metric", expectation.metric},
          {"where",
           {{"entrypoint", expectation.where.entrypoint},
            {"depth", expectation.where.depth},
            {"access", expectation.where.access},
            {"session", expectation.where.session}}},
          {"over", to_string(expectation.over)},
          {"limit", expectation.limit},
          {"basis", expectation.basis},
          {"reason", expectation.reason}};
}

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json outage_json(const OutageBudget& outage) {
  ordered_json parts = ordered_json::array();
  for (const BudgetPart& part : outage.parts) {
    parts.push_back({{"name", part.name},
                     {"min_s", part.min_s},
                     {"max_s", part.max_s},
                     {"setting", part.setting},
                     {"value", part.value},
                     {"source", part.source}});
  }
  return {{"min_s", or_null(outage.min_s)},
          {"max_s", or_null(outage.max_s)},
          {"parts", std::move(parts)},
          {"missing", outage.missing},
          {"alert_s", outage.alert_s}};
}

ordered_json budget_json(const std::optional<Budget>& budget) {
  if (!budget) return nullptr;
  return {
      {"read_write", outage_json(budget->read_write)},
      {"read_only", outage_json(budget->read_only)},
      {"with_watchdog", budget->with_watchdog ? outage_json(*budget->with_watchdog) : ordered_json(nullptr)},
      {"failover", to_string(budget->failover)},
      {"loss_limit_bytes", or_null(budget->loss_limit_bytes)},
      {"loss_limit_unknown", budget->loss_limit_unknown},
      {"sentence", budget->sentence}};
}

ordered_json fault_json(const FaultSpec& fault) {
  return {{"kind", fault.kind},
          {"target", fault.target},
          {"options", fault.options},
          {"hold_s", fault.hold_s ? ordered_json(*fault.hold_s) : ordered_json(nullptr)},
          {"after_s", fault.after_s}};
}

ordered_json measured_json(const std::optional<MeasuredBefore>& measured) {
  if (!measured) return nullptr;
  return {{"run", measured->run}, {"verdict", to_string(measured->verdict)}};
}

ordered_json drill_json(const DrillPlan& drill) {
  ordered_json then = ordered_json::array();
  for (const FaultSpec& fault : drill.then) then.push_back(fault_json(fault));
  ordered_json expectations = ordered_json::array();
  for (const Expectation& expectation : drill.expectations)
    expectations.push_back(expectation_json(expectation));
  return {{"name", drill.name},
          {"description", drill.description},
          {"why", drill.why},
          {"fault", fault_json(drill.fault)},
          {"then", std::move(then)},
          {"repeats", drill.repeats},
          {"baseline_s", drill.baseline_s},
          {"observe_s", drill.observe_s},
          {"health_deadline_s", drill.health_deadline_s},
          {"measured", measured_json(drill.measured)},
          {"expectations", std::move(expectations)},
          {"budget", budget_json(drill.budget)}};
}

ordered_json cluster_json(const ClusterSummary& cluster) {
  ordered_json members = ordered_json::array();
  for (const ClusterSummary::Member& member : cluster.members) {
    members.push_back(
        {{"name", member.name}, {"host", member.host}, {"address", member.address}, {"role", member.role}});
  }
  return {{"name", cluster.name},
          {"system_identifier", cluster.system_identifier},
          {"deployment_type", cluster.deployment_type},
          {"postgres_version", cluster.postgres_version},
          {"patroni_version", cluster.patroni_version},
          {"members", std::move(members)},
          {"settings", cluster.settings},
          {"synchronous_mode", cluster.synchronous_mode},
          {"synchronous_mode_strict", cluster.synchronous_mode_strict}};
}

ordered_json path_json(const TrafficPath& path) {
  ordered_json addresses = ordered_json::array();
  for (const Endpoint& address : path.addresses)
    addresses.push_back({{"host", address.host}, {"port", address.port}});
  return {{"id", path.id},
          {"entrypoint", path.entrypoint},
          {"addresses", std::move(addresses)},
          {"target_session_attrs", path.target_session_attrs},
          {"depth", to_string(path.depth)},
          {"access", to_string(path.access)},
          {"session", to_string(path.session)},
          {"purpose", to_string(path.purpose)},
          {"pinned_member", path.pinned_member},
          {"rate_hz", path.rate_hz},
          {"write_rate_hz", path.write_rate_hz},
          {"deadline_ns", path.deadline.count()},
          {"servers_behind", path.servers_behind},
          {"needed_for_steady_state", path.needed_for_steady_state}};
}

// ---- reading

/// Notes the first thing that is wrong, with its JSON pointer; what is asked for afterwards is empty.
class Complaint {
 public:
  void say(const std::string& pointer, const std::string& wrong) {
    if (text_.empty()) text_ = (pointer.empty() ? "the document" : pointer) + " " + wrong;
  }
  [[nodiscard]] bool any() const { return !text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Node {
 public:
  Node(const json& value, std::string pointer, Complaint& complaint)
      : value_{&value}, pointer_{std::move(pointer)}, complaint_{&complaint} {}

  [[nodiscard]] Node operator[](const char* name) const {
    static const json nothing;
    const std::string pointer = pointer_ + "/" + name;
    if (!value_->is_object()) {
      complaint_->say(pointer_, "is no object");
      return {nothing, pointer, *complaint_};
    }
    const auto found = value_->find(name);
    if (found != value_->end()) return {*found, pointer, *complaint_};
    complaint_->say(pointer, "is missing");
    return {nothing, pointer, *complaint_};
  }

  /// Records of earlier releases lack what came later.
  [[nodiscard]] bool has(const char* name) const {
    return value_->is_object() && value_->contains(name) && !(*value_)[name].is_null();
  }

  [[nodiscard]] std::string text() const {
    if (!value_->is_string()) return wrong("is no text", std::string{});
    return value_->get<std::string>();
  }

  [[nodiscard]] bool flag() const {
    if (!value_->is_boolean()) return wrong("is neither true nor false", false);
    return value_->get<bool>();
  }

  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const {
    const bool fits = value_->is_number_integer() &&
                      !(value_->is_number_unsigned() &&
                        value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
    const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
    if (fits && number >= least && number <= most) return number;
    return wrong("is no whole number from " + std::to_string(least) + " to " + std::to_string(most), least);
  }

  [[nodiscard]] std::uint64_t unsigned_integer() const {
    if (!value_->is_number_unsigned()) return wrong("is no whole number from 0 on", std::uint64_t{0});
    return value_->get<std::uint64_t>();
  }

  [[nodiscard]] double number() const {
    if (!value_->is_number() || !std::isfinite(value_->get<double>())) return wrong("is no number", 0.0);
    return value_->get<double>();
  }

  [[nodiscard]] double number_from_zero() const {
    const double value = number();
    return value < 0 ? wrong("is below 0", 0.0) : value;
  }

  [[nodiscard]] nanoseconds duration(nanoseconds::rep least) const {
    return nanoseconds{integer(least, std::numeric_limits<nanoseconds::rep>::max())};
  }

  /// The enumerator of this name.
  template <typename Enum, std::size_t count>
  [[nodiscard]] Enum one_of(const std::array<Enum, count>& known) const {
    const std::string name = text();
    for (const Enum candidate : known)
      if (name == to_string(candidate)) return candidate;
    return wrong("holds a word that this version does not know", known.front());
  }

  template <typename Convert>
  [[nodiscard]] auto list(const Convert& convert) const {
    std::vector<decltype(convert(*this))> items;
    if (!value_->is_array()) return wrong("is no list", items);
    for (std::size_t i = 0; i < value_->size(); ++i)
      items.push_back(convert(Node{(*value_)[i], pointer_ + "/" + std::to_string(i), *complaint_}));
    return items;
  }

  [[nodiscard]] std::map<std::string, std::string> texts_by_name() const {
    std::map<std::string, std::string> texts;
    if (!value_->is_object()) return wrong("is no object", texts);
    for (const auto& [name, value] : value_->items())
      texts[name] = Node{value, pointer_ + "/" + name, *complaint_}.text();
    return texts;
  }

  template <typename T>
  T wrong(const std::string& what, T instead) const {
    complaint_->say(pointer_, what);
    return instead;
  }

 private:
  const json* value_;
  std::string pointer_;
  Complaint* complaint_;
};

Expectation expectation_of(const Node& node) {
  const Node where = node["where"];
  return {.metric = node["metric"].text(),
          .where = {.entrypoint = where["entrypoint"].text(),
                    .depth = where["depth"].text(),
                    .access = where["access"].text(),
                    .session = where["session"].text()},
          .over = node["over"].one_of(kFolds),
          .limit = node["limit"].number(),
          .basis = node.has("basis") ? node["basis"].text() : std::string{},
          .reason = node.has("reason") ? node["reason"].text() : std::string{}};
}

FaultSpec fault_of(const Node& node) {
  FaultSpec fault{.kind = node["kind"].text(), .target = node["target"].text()};
  if (node.has("options")) fault.options = node["options"].texts_by_name();
  if (node.has("hold_s")) fault.hold_s = node["hold_s"].number_from_zero();
  if (node.has("after_s")) fault.after_s = node["after_s"].number_from_zero();
  return fault;
}

BudgetPart part_of(const Node& node) {
  return {.name = node["name"].text(),
          .min_s = node["min_s"].number(),
          .max_s = node["max_s"].number(),
          .setting = node["setting"].text(),
          .value = node["value"].text(),
          .source = node["source"].text()};
}

std::optional<double> number_if_there(const Node& node, const char* name) {
  if (!node.has(name)) return std::nullopt;
  return node[name].number_from_zero();
}

OutageBudget outage_of(const Node& node) {
  return {.min_s = number_if_there(node, "min_s"),
          .max_s = number_if_there(node, "max_s"),
          .parts = node["parts"].list(part_of),
          .missing = node["missing"].list([](const Node& setting) { return setting.text(); }),
          .alert_s = node["alert_s"].number_from_zero()};
}

Budget budget_of(const Node& node) {
  Budget budget{.read_write = outage_of(node["read_write"]),
                .read_only = outage_of(node["read_only"]),
                .failover = node["failover"].one_of(kForecasts),
                .loss_limit_bytes = number_if_there(node, "loss_limit_bytes"),
                .loss_limit_unknown = node["loss_limit_unknown"].flag(),
                .sentence = node["sentence"].text()};
  if (node.has("with_watchdog")) budget.with_watchdog = outage_of(node["with_watchdog"]);
  return budget;
}

MeasuredBefore measured_of(const Node& node) {
  return {.run = node["run"].text(), .verdict = node["verdict"].one_of(kFinalVerdicts)};
}

DrillPlan drill_of(const Node& node) {
  return {.name = node["name"].text(),
          .description = node["description"].text(),
          .why = node.has("why") ? node["why"].text() : std::string{},
          .fault = fault_of(node["fault"]),
          .then = node.has("then") ? node["then"].list(fault_of) : std::vector<FaultSpec>{},
          .repeats = static_cast<int>(node["repeats"].integer(1, 1'000'000)),
          .baseline_s = node["baseline_s"].number_from_zero(),
          .observe_s = node["observe_s"].number_from_zero(),
          .health_deadline_s = node["health_deadline_s"].number_from_zero(),
          .expectations = node["expectations"].list(expectation_of),
          .budget = node.has("budget") ? std::optional{budget_of(node["budget"])} : std::nullopt,
          .measured = node.has("measured") ? std::optional{measured_of(node["measured"])} : std::nullopt};
}

ClusterSummary::Member member_of(const Node& node) {
  return {.name = node["name"].text(),
          .host = node["host"].text(),
          .address = node["address"].text(),
          .role = node["role"].text()};
}

ClusterSummary cluster_of(const Node& node) {
  return {.name = node["name"].text(),
          .system_identifier = node["system_identifier"].text(),
          .deployment_type = node["deployment_type"].text(),
          .postgres_version = node["postgres_version"].text(),
          .patroni_version = node["patroni_version"].text(),
          .members = node["members"].list(member_of),
          .settings = node["settings"].texts_by_name(),
          .synchronous_mode = node["synchronous_mode"].text(),
          .synchronous_mode_strict = node["synchronous_mode_strict"].flag()};
}

TrafficPath path_of(const Node& node) {
  const auto address_of = [](const Node& address) {
    return Endpoint{address["host"].text(), static_cast<int>(address["port"].integer(1, 65'535))};
  };
  return {.id = node["id"].text(),
          .entrypoint = node["entrypoint"].text(),
          .addresses = node["addresses"].list(address_of),
          .target_session_attrs = node["target_session_attrs"].text(),
          .depth = node["depth"].one_of(kDepths),
          .access = node["access"].one_of(kAccesses),
          .session = node["session"].one_of(kSessions),
          .purpose = node["purpose"].one_of(kPurposes),
          .pinned_member = node["pinned_member"].text(),
          .rate_hz = node["rate_hz"].number_from_zero(),
          .write_rate_hz = node["write_rate_hz"].number_from_zero(),
          .deadline = node["deadline_ns"].duration(1),
          .servers_behind = static_cast<int>(node["servers_behind"].integer(0, 65'535)),
          .needed_for_steady_state = node["needed_for_steady_state"].flag()};
}

std::vector<TrafficPath> paths_of(const Node& node) {
  auto paths = node.list(path_of);
  std::set<std::string> ids;
  for (const TrafficPath& path : paths) ids.insert(path.id);
  if (ids.size() != paths.size()) node.wrong("names a path twice", 0);
  if (paths.size() > kMostPaths) node.wrong("holds more paths than operations can name", 0);
  return paths;
}

RunManifest manifest_of(const Node& node) {
  const Node origin = node["origin"];
  const auto instant = [&origin](const char* name) {
    return origin[name].duration(std::numeric_limits<nanoseconds::rep>::min());
  };
  return {.tool_version = node["tool_version"].text(),
          .run_id = node["run_id"].text(),
          .suite = node["suite"].text(),
          .seed = node["seed"].unsigned_integer(),
          .argv = node["argv"].list([](const Node& argument) { return argument.text(); }),
          .repro = node["repro"].text(),
          .origin = {.monotonic = instant("monotonic_ns"),
                     .boottime = instant("boottime_ns"),
                     .wall = instant("wall_ns")},
          .cluster = cluster_of(node["cluster"]),
          .drills = node["drills"].list(drill_of),
          .paths = paths_of(node["paths"]),
          .continues = node.has("continues") ? node["continues"].text() : std::string{},
          .needs_every_drill = node.has("needs_every_drill") && node["needs_every_drill"].flag()};
}

Failure malformed(const std::string& where, const std::string& came_back) {
  return {.kind = FailureKind::malformed,
          .what = "read a run's manifest",
          .where = where,
          .came_back = one_line(came_back)};
}

}  // namespace

std::string FaultSpec::option(const std::string& name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::string{} : found->second;
}

std::string to_json(const RunManifest& manifest) {
  ordered_json drills = ordered_json::array();
  for (const DrillPlan& drill : manifest.drills) drills.push_back(drill_json(drill));
  ordered_json paths = ordered_json::array();
  for (const TrafficPath& path : manifest.paths) paths.push_back(path_json(path));
  const ordered_json document{{"schema", manifest.schema},
                              {"tool_version", manifest.tool_version},
                              {"run_id", manifest.run_id},
                              {"suite", manifest.suite},
                              {"seed", manifest.seed},
                              {"argv", manifest.argv},
                              {"repro", manifest.repro},
                              {"origin",
                               {{"monotonic_ns", manifest.origin.monotonic.count()},
                                {"boottime_ns", manifest.origin.boottime.count()},
                                {"wall_ns", manifest.origin.wall.count()}}},
                              {"continues", manifest.continues},
                              {"needs_every_drill", manifest.needs_every_drill},
                              {"cluster", cluster_json(manifest.cluster)},
                              {"drills", std::move(drills)},
                              {"paths", std::move(paths)}};
  // Servers' texts stand in here; they need not be UTF-8.
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<RunManifest> parse_manifest(const std::string& text, const std::string& where) {
  const json document = parse_flat_json(text);
  if (document.is_discarded()) return malformed(where, "it is no JSON document");
  Complaint complaint;
  const Node root{document, "", complaint};
  const auto schema = root["schema"].integer(1, std::numeric_limits<int>::max());
  if (complaint.any()) return malformed(where, complaint.text());
  if (schema > kRecordSchema) {
    Failure newer = malformed(where, "its schema is " + std::to_string(schema) + ", this version reads " +
                                         std::to_string(kRecordSchema));
    newer.hint = "Use the version of pgfiredrill that wrote it, or a newer one.";
    return newer;
  }
  RunManifest manifest = manifest_of(root);
  if (complaint.any()) return malformed(where, complaint.text());
  manifest.schema = static_cast<int>(schema);
  return manifest;
}

}  // namespace pgfiredrill
