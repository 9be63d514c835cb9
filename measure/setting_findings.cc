#include "measure/setting_findings.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace pgfiredrill {

namespace {

/// A stage that takes less is not worth a change.
constexpr double kWorthMending_s = 5;
constexpr double kMended_s = 1;
/// Beyond its budget by more than what measuring adds.
constexpr double kBeyond_s = 5;

const BudgetPart* part_of(const OutageBudget& outage, const std::string& setting) {
  const auto found = std::find_if(outage.parts.begin(), outage.parts.end(), [&](const BudgetPart& part) {
    return part.setting == setting || part.setting.starts_with(setting + " ") ||
           part.setting.starts_with(setting + ",");
  });
  return found == outage.parts.end() ? nullptr : &*found;
}

/// The longest outage that clients of a balancer saw, and on which path.
const PathResult* worst_path(const RepeatResult& repeat, Access access) {
  const PathResult* worst = nullptr;
  for (const PathResult& result : repeat.paths) {
    const TrafficPath& path = result.path;
    const bool counts = path.depth == Depth::balancer && path.access == access &&
                        path.needed_for_steady_state && result.instrument.valid && result.outage_s;
    if (counts && (worst == nullptr || *result.outage_s > *worst->outage_s)) worst = &result;
  }
  return worst;
}

std::string measured_text(const std::string& label, const PathResult& path, const OutageBudget& outage) {
  std::string text = fmt::format("{}: {} was down {:.1f} s", label, path.path.id, *path.outage_s);
  if (outage.max_s)
    text += fmt::format("; its settings lead to {:g} to {:g} s", *outage.min_s, *outage.max_s);
  return text;
}

std::optional<Finding> find_login_retry(const std::string& label, const OutageBudget& outage,
                                        const PathResult* path) {
  const BudgetPart* part = part_of(outage, "server_login_retry");
  if (part == nullptr || path == nullptr || !outage.max_s || part->max_s < kWorthMending_s)
    return std::nullopt;
  // PgBouncer tries again when the time has passed since its failed login, seldom a moment earlier.
  if (*path->outage_s < 0.9 * part->max_s) return std::nullopt;
  const double others = *outage.max_s - part->max_s;
  return Finding{
      .id = "pooler.server-login-retry",
      .severity = Severity::warn,
      .where = "",
      .sentence = fmt::format("after the server was back, PgBouncer went on answering logins with its last "
                              "error for server_login_retry, {}",
                              part->value),
      .evidence = {measured_text(label, *path, outage) +
                   fmt::format(", of them up to {:g} s by server_login_retry", part->max_s)},
      .remedy =
          fmt::format("server_login_retry = {:g} in pgbouncer.ini (autobase sets none): all other "
                      "stages take at most {:g} s, and the balancer's checks of the server that is back",
                      kMended_s, others)};
}

std::optional<Finding> find_check_timeout(const std::string& label, const OutageBudget& outage,
                                          const PathResult* path) {
  const BudgetPart* part = part_of(outage, "timeout check");
  if (part == nullptr || path == nullptr || *path->outage_s < part->min_s) return std::nullopt;
  return Finding{.id = "haproxy.check-timeout",
                 .severity = Severity::warn,
                 .where = "",
                 .sentence =
                     "the balancer sent clients to a server whose checks hung until they had timed "
                     "out, long after another led",
                 .evidence = {measured_text(label, *path, outage) + "; " + part->value},
                 .remedy = "timeout check 2s in haproxy.cfg, so that checks which hang fail within seconds"};
}

std::optional<Finding> find_start_timeout(const std::string& label, const OutageBudget& outage,
                                          const RepeatResult& repeat, const PathResult* path) {
  const BudgetPart* restart = part_of(outage, "loop_wait");
  const bool in_place = repeat.failovers == std::size_t{0} && restart != nullptr && outage.max_s;
  if (!in_place || path == nullptr || *path->outage_s <= *outage.max_s + kBeyond_s) return std::nullopt;
  return Finding{
      .id = "patroni.primary-start-timeout",
      .severity = Severity::warn,
      .where = "",
      .sentence =
          "Patroni waited for PostgreSQL to start again in place, where a replica could have taken over",
      .evidence = {measured_text(label, *path, outage) + ", without a failover"},
      .remedy =
          "a primary_start_timeout (autobase: patroni_master_start_timeout) of what crash recovery may "
          "take, for example 30 s instead of 300 s: then Patroni promotes a replica; under asynchronous "
          "replication that may lose writes"};
}

/// Errors of that path that the balancer made: it had no server to send a client to.
std::size_t refused_by_balancer(const PathResult& path) {
  std::size_t count = 0;
  for (const ErrorWindow& error : path.errors) {
    if (error.layer == Layer::balancer) count += error.count;
  }
  return count;
}

/// The leader led on, and was not let be reached. confd renders the balancers' servers from the members' keys
/// in the consensus store; those run out with the ttl, failsafe mode or not.
std::optional<Finding> find_dropped_leader(const std::string& label, const DrillPlan& plan,
                                           const RepeatResult& repeat, const PathResult* path) {
  const bool cut = plan.fault.kind == "cut-network" && plan.fault.option("from") == "consensus";
  if (!cut || repeat.failovers != std::size_t{0} || path == nullptr) return std::nullopt;
  const auto& most_s = plan.budget->read_write.max_s;
  if (!most_s || *path->outage_s <= *most_s + kBeyond_s || refused_by_balancer(*path) == 0)
    return std::nullopt;
  return Finding{
      .id = "balancer.drops-live-leader",
      .severity = Severity::warn,
      .where = "",
      .sentence =
          "the leader went on without the consensus store, but balancers had taken it out of their "
          "configuration: its member key had run out there, and confd renders the servers from these keys",
      .evidence = {measured_text(label, *path, plan.budget->read_write) +
                   fmt::format(", and the balancer refused {} operations", refused_by_balancer(*path))},
      .remedy =
          "servers in haproxy.cfg that do not depend on the store (confd off, all members listed): "
          "HAProxy's own check of Patroni's REST interface says who leads, with or without a store"};
}

void add(std::vector<Finding>& findings, std::optional<Finding> finding) {
  if (finding) findings.push_back(std::move(*finding));
}

}  // namespace

std::vector<Finding> find_costly_settings(const std::string& label, const DrillPlan& plan,
                                          const RepeatResult& repeat) {
  if (!plan.budget) return {};
  std::vector<Finding> findings;
  const PathResult* writes = worst_path(repeat, Access::read_write);
  add(findings, find_login_retry(label, plan.budget->read_write, writes));
  add(findings, find_dropped_leader(label, plan, repeat, writes));
  add(findings, find_check_timeout(label, plan.budget->read_write, writes));
  // What is held lasts as long as it is held, whatever Patroni waits for.
  if (!plan.fault.hold_s) add(findings, find_start_timeout(label, plan.budget->read_write, repeat, writes));
  if (findings.empty()) {
    const PathResult* reads = worst_path(repeat, Access::read_only);
    add(findings, find_login_retry(label, plan.budget->read_only, reads));
  }
  return findings;
}

}  // namespace pgfiredrill
