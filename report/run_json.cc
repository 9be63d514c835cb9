#include "report/run_json.h"

#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/json_budget.h"
#include "report/json_clients.h"
#include "report/json_latency.h"
#include "report/json_servers.h"
#include "report/json_values.h"

namespace pgfiredrill {
namespace {

using nlohmann::ordered_json;

constexpr int kSchema = 1;

// ---- the run

ordered_json cluster_json(const ClusterSummary& cluster) {
  const auto member_json = [](const ClusterSummary::Member& member) {
    return ordered_json{{"name", member.name},
                        {"host", or_null(member.host)},
                        {"address", or_null(member.address)},
                        {"role", or_null(member.role)}};
  };
  return {{"name", or_null(cluster.name)},
          {"system_identifier", or_null(cluster.system_identifier)},
          {"deployment_type", or_null(cluster.deployment_type)},
          {"postgres_version", or_null(cluster.postgres_version)},
          {"patroni_version", or_null(cluster.patroni_version)},
          {"members", array_of(cluster.members, member_json)},
          {"settings", cluster.settings},
          {"synchronous_mode", or_null(cluster.synchronous_mode)},
          {"synchronous_mode_strict", cluster.synchronous_mode_strict}};
}

ordered_json finding_json(const Finding& finding) {
  return {{"id", finding.id},
          {"severity", to_string(finding.severity)},
          {"where", finding.where},
          {"sentence", finding.sentence},
          {"evidence", finding.evidence},
          {"remedy", finding.remedy}};
}

// ---- a path

ordered_json window_json(const Window& window) {
  return {
      {"start_s", or_null(window.start_s)}, {"end_s", or_null(window.end_s)}, {"censored", window.censored}};
}

ordered_json error_json(const ErrorWindow& error) {
  return {{"class", error.error.to_string()},
          {"layer", to_string(error.layer)},
          {"count", error.count},
          {"first_s", or_null(error.first_s)},
          {"last_s", or_null(error.last_s)}};
}

ordered_json instrument_json(const Instrument& instrument) {
  return {{"valid", instrument.valid},
          {"why", instrument.why},
          {"loop_stall_max_s", or_null(instrument.loop_stall_max_s)},
          {"offered", instrument.offered},
          {"achieved", instrument.achieved},
          {"dropped", instrument.dropped}};
}

ordered_json path_json(const PathResult& result) {
  const TrafficPath& path = result.path;
  return {{"id", path.id},
          {"entrypoint", path.entrypoint},
          {"depth", to_string(path.depth)},
          {"access", to_string(path.access)},
          {"session", to_string(path.session)},
          {"target_session_attrs", path.target_session_attrs},
          {"pinned_member", path.pinned_member},
          {"needed_for_steady_state", path.needed_for_steady_state},
          {"rate_hz", or_null(path.rate_hz)},
          {"resolution_s", or_null(result.resolution_s)},
          {"windows", array_of(result.windows, window_json)},
          {"outage_s", or_null(result.outage_s)},
          {"unavailable_s", or_null(result.unavailable_s)},
          {"span_s", or_null(result.span_s)},
          {"error_s", or_null(result.error_s)},
          {"stall_s", or_null(result.stall_s)},
          {"longest_gap_s", or_null(result.longest_gap_s)},
          {"partial_s", or_null(result.partial_s)},
          {"availability_pct", or_null(result.availability_pct)},
          {"errors", array_of(result.errors, error_json)},
          {"latency", latency_json(result.latency)},
          {"phases", nullptr},
          {"instrument", instrument_json(result.instrument)}};
}

// ---- a repeat

ordered_json node_json(const NodeDurability& node) {
  const auto if_read = [&node](std::size_t number) {
    return node.read ? ordered_json(number) : ordered_json(nullptr);
  };
  return {{"member", node.member},      {"read", node.read},
          {"why_not", node.why_not},    {"timeline", if_read(node.timeline)},
          {"rows", if_read(node.rows)}, {"lost", if_read(node.lost)}};
}

ordered_json durability_json(const std::optional<Durability>& durability) {
  if (!durability) return nullptr;
  const auto range_json = [](const NumberRange& range) {
    return ordered_json{{"stream", range.stream},
                        {"first", range.first},
                        {"last", range.last},
                        {"writes", range.writes},
                        {"members", range.members},
                        {"timelines", range.timelines},
                        {"first_lsn", range.first_lsn},
                        {"last_lsn", range.last_lsn},
                        {"wal_bytes", or_null(range.wal_bytes)}};
  };
  return {{"attempted", durability->attempted},
          {"acknowledged", durability->acknowledged},
          {"weak", durability->weak},
          {"in_doubt", durability->in_doubt},
          {"failed", durability->failed},
          {"lost", or_null(durability->lost)},
          {"weak_lost", or_null(durability->weak_lost)},
          {"unexpected", or_null(durability->unexpected)},
          {"duplicated", or_null(durability->duplicated)},
          {"in_doubt_present", or_null(durability->in_doubt_present)},
          {"rpo_bytes", or_null(durability->rpo_bytes)},
          {"lost_ranges", array_of(durability->lost_ranges, range_json)},
          {"nodes", array_of(durability->nodes, node_json)}};
}

ordered_json expectation_json(const ExpectationResult& result) {
  const Expectation& expectation = result.expectation;
  return {{"metric", expectation.metric},
          {"where",
           {{"entrypoint", expectation.where.entrypoint},
            {"depth", expectation.where.depth},
            {"access", expectation.where.access},
            {"session", expectation.where.session}}},
          {"over", to_string(expectation.over)},
          {"limit", or_null(expectation.limit)},
          {"basis", expectation.basis},
          {"reason", expectation.reason},
          {"measured", or_null(result.measured)},
          {"passed", result.passed},
          {"why", result.why}};
}

ordered_json repeat_json(const DrillPlan& plan, const RepeatResult& repeat) {
  return {{"repeat", repeat.repeat},
          {"verdict", to_string(repeat.verdict)},
          {"reasons", repeat.reasons},
          {"target", or_null(repeat.target)},
          {"evidence", or_null(repeat.evidence)},
          {"injected_at", or_null(repeat.injected_at)},
          {"confirmed_s", or_null(repeat.confirmed_s)},
          {"random_delay_s", or_null(repeat.random_delay_s)},
          {"reverted_at", or_null(repeat.reverted_at)},
          {"verified", or_null(repeat.verified)},
          {"old_leader", or_null(repeat.old_leader)},
          {"new_leader", or_null(repeat.new_leader)},
          {"failovers", or_null(repeat.failovers)},
          {"paths", array_of(repeat.paths, path_json)},
          {"ledger_latency", ledger_latency_json(repeat.ledger_latency)},
          {"budget", budget_json(plan.budget)},
          {"durability", durability_json(repeat.durability)},
          {"split_brain", split_brain_json(repeat.split_brain)},
          {"replica_lag", replica_lag_json(repeat.replica_lag)},
          {"backup", nullptr},
          {"recovery", {{"full_health_s", or_null(repeat.full_health_s)}}},
          {"clients", clients_json(repeat.clients)},
          {"return_to_normal", return_to_normal_json(repeat.return_to_normal)},
          {"applications", applications_json(repeat.applications)},
          {"expectations", array_of(repeat.expectations, expectation_json)}};
}

// ---- a drill

ordered_json summary_json(const SummaryRow& row) {
  return {{"metric", row.metric},
          {"path", row.path},
          {"n", row.n},
          {"min", or_null(row.min)},
          {"median", or_null(row.median)},
          {"max", or_null(row.max)},
          {"p95", or_null(row.p95)},
          {"ci_low", or_null(row.ci_low)},
          {"ci_high", or_null(row.ci_high)}};
}

ordered_json fault_json(const FaultSpec& fault) {
  return {{"kind", fault.kind},
          {"target", fault.target},
          {"options", fault.options},
          {"hold_s", fault.hold_s ? or_null(*fault.hold_s) : ordered_json(nullptr)},
          {"after_s", or_null(fault.after_s)}};
}

ordered_json drill_json(const DrillResult& drill) {
  const auto repeat = [&](const RepeatResult& result) { return repeat_json(drill.plan, result); };
  return {{"name", drill.plan.name},
          {"description", drill.plan.description},
          {"why", drill.plan.why},
          {"verdict", to_string(drill.verdict)},
          {"reasons", drill.reasons},
          {"fault", fault_json(drill.plan.fault)},
          {"then", array_of(drill.plan.then, fault_json)},
          {"baseline_s", or_null(drill.plan.baseline_s)},
          {"observe_s", or_null(drill.plan.observe_s)},
          {"repeats", array_of(drill.repeats, repeat)},
          {"summary", array_of(drill.summary, summary_json)}};
}

// ---- why each null is one

const char* usual_reason(const std::string& pointer, const std::string& field) {
  if (pointer.starts_with("/clocks/")) {
    return field == "drift_ppm" ? "no drift beyond the error was seen"
                                : "the clock of this node was not measured";
  }
  static const std::map<std::string, const char*> reasons{
      {"phases", "not measured by this version"},
      {"budget", "a setting that it needs is not known, or the record is older than budgets"},
      {"min_s", "a setting that it needs is not known: see missing"},
      {"max_s", "a setting that it needs is not known: see missing"},
      {"with_watchdog", "no watchdog would change the course"},
      {"loss_limit_bytes", "no acknowledged write may be lost, or maximum_lag_on_failover is not known"},
      {"hold_s", "the fault is a blow: nothing is held"},
      {"failovers", "the repeat was not judged"},
      {"split_brain", "the repeat was not judged"},
      {"overlap_s", "fewer than two servers were asked directly"},
      {"replica_lag", "the repeat was not judged"},
      {"after_s", "nothing was asked of the session after the fault"},
      {"stuck_s", "nothing was asked of the session after the fault"},
      {"read_only_until_s", "there was none"},
      {"backup", "not measured by this version"},
      {"sessions", "max_connections was not learnt"},
      {"sessions_back_s", "max_connections was not learnt, or no login succeeded"},
      {"p95", "there were fewer than 20 repeats"},
      {"ci_low", "there were fewer than 20 repeats"},
      {"ci_high", "there were fewer than 20 repeats"},
      {"target", "the fault was not sent"},
      {"injected_at", "the fault was not sent"},
      {"random_delay_s", "the fault was not sent"},
      {"evidence", "the fault was not confirmed"},
      {"confirmed_s", "the fault was not confirmed"},
      {"reverted_at", "there was nothing to revert, or it was not recorded"},
      {"verified", "there was nothing to revert, or it was not recorded"},
      {"old_leader", "no leader was seen"},
      {"new_leader", "no leader was seen"},
      {"rows", "the ledger on this node was not read: see its why_not"},
      {"lost", "the ledger was not read back"},
      {"timeline", "the ledger on this node was not read: see its why_not"},
      {"measured", "see the expectation's why"},
  };
  const auto found = reasons.find(field);
  return found == reasons.end() ? "it is not in the record" : found->second;
}

class NotMeasuredList {
 public:
  void add(const std::string& pointer, const std::string& reason) {
    if (pointers_.insert(pointer).second) list_.push_back({{"pointer", pointer}, {"reason", reason}});
  }

  /// Adds what nobody gave a reason for. A reason also holds for everything below its pointer.
  void add_nulls_below(const ordered_json& node, const std::string& pointer, const std::string& field) {
    if (pointers_.contains(pointer)) return;
    if (node.is_null()) {
      add(pointer, usual_reason(pointer, field));
    } else if (node.is_object()) {
      for (const auto& [name, value] : node.items())
        add_nulls_below(value, pointer + "/" + escaped(name), name);
    } else if (node.is_array()) {
      for (std::size_t i = 0; i < node.size(); ++i)
        add_nulls_below(node[i], pointer + "/" + std::to_string(i), field);
    }
  }

  [[nodiscard]] ordered_json take() { return std::move(list_); }

 private:
  /// As JSON pointers want it: "~" and "/" in names stand for themselves no more.
  static std::string escaped(const std::string& name) {
    std::string text;
    for (const char c : name) {
      if (c == '~') {
        text += "~0";
      } else if (c == '/') {
        text += "~1";
      } else {
        text += c;
      }
    }
    return text;
  }

  std::set<std::string> pointers_;
  ordered_json list_ = ordered_json::array();
};

ordered_json not_measured_json(const RunResult& run, const ordered_json& document) {
  NotMeasuredList list;
  for (std::size_t drill = 0; drill < run.drills.size(); ++drill) {
    const auto& repeats = run.drills[drill].repeats;
    for (std::size_t repeat = 0; repeat < repeats.size(); ++repeat) {
      const std::string base = "/drills/" + std::to_string(drill) + "/repeats/" + std::to_string(repeat);
      for (const NotMeasured& missing : repeats[repeat].not_measured)
        list.add(base + missing.pointer, missing.reason);
    }
  }
  list.add_nulls_below(document, "", "");
  return list.take();
}

}  // namespace

std::string render_run_json(const RunResult& run) {
  const RunManifest& manifest = run.manifest;
  ordered_json document{{"schema", kSchema},
                        {"kind", "drills"},
                        {"tool", {{"version", manifest.tool_version}}},
                        {"run",
                         {{"id", manifest.run_id},
                          {"suite", manifest.suite},
                          {"started_at", or_null(run.started_at)},
                          {"ended", run.ended},
                          {"seed", manifest.seed},
                          {"argv", manifest.argv},
                          {"repro", manifest.repro}}},
                        {"cluster", cluster_json(manifest.cluster)},
                        {"clocks", clocks_json(run.clocks)},
                        {"reconnect", reconnect_json(run.reconnect)},
                        {"verdict", to_string(run.verdict)},
                        {"reasons", run.reasons},
                        {"findings", array_of(run.findings, finding_json)},
                        {"drills", array_of(run.drills, drill_json)}};
  document["not_measured"] = not_measured_json(run, document);
  // Servers' texts stand in the record; they need not be UTF-8.
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace pgfiredrill
