#include "suites/plan.h"

#include <algorithm>
#include <chrono>

#include "cluster/discovery/entry_points.h"
#include "drivers/paths.h"
#include "suites/expected.h"
#include "suites/login_cost.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;

/// PgBouncer keeps refusing logins for this long after its last failed one; what comes later comes within
/// these seconds more.
constexpr double kObserveMargin = 10;
/// Where no pooler could be asked: the longest that a pooler of autobase's would wait.
constexpr double kObserveUnknown = 25;

double observe_seconds(const FailoverSettings& settings) {
  const auto& retry = settings.server_login_retry.value;
  return retry ? static_cast<double>(retry->count()) + kObserveMargin : kObserveUnknown;
}

/// Patroni's own default, where its configuration could not be read.
constexpr seconds kUsualTtl{30};
/// For the race of the candidates, the promotion and the balancers' checks.
constexpr double kHoldMargin = 15;

constexpr double kMostLoginsPerSecond = 60;
constexpr double kLeastLoginsPerSecond = 6;
/// Of what client, balancer and pooler can bear together: a drill must not be what it measures.
constexpr double kShareOfLogins = 0.3;

/// Logins a second for fresh sessions. Discovery logged in through every entry point, four at a time: that
/// many in its median time is what the way to this cluster can bear as it is now.
double logins_per_second(const ClusterDescription& cluster) {
  std::vector<double> times;
  for (const EntryPoint& point : cluster.entry_points) {
    if (point.login_time) times.push_back(std::chrono::duration<double>(*point.login_time).count());
  }
  if (times.empty()) return kMostLoginsPerSecond;
  const auto median = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), median, times.end());
  const double bearable = static_cast<double>(kLoginsAtOnce) / std::max(*median, 1e-3);
  return std::clamp(kShareOfLogins * bearable, kLeastLoginsPerSecond, kMostLoginsPerSecond);
}

std::string text(seconds value) {
  return std::to_string(value.count()) + " s";
}
std::string text(std::chrono::milliseconds value) {
  return std::to_string(value.count()) + " ms";
}
std::string text(std::int64_t value) {
  return std::to_string(value);
}
std::string text(int value) {
  return std::to_string(value);
}
std::string text(bool value) {
  return value ? "on" : "off";
}
std::string text(const std::string& value) {
  return value;
}

template <typename T>
void add(std::map<std::string, std::string>& settings, const char* name, const Sourced<T>& sourced) {
  if (sourced.value) settings.emplace(name, text(*sourced.value));
}

std::map<std::string, std::string> settings_of(const FailoverSettings& from) {
  std::map<std::string, std::string> settings;
  add(settings, "ttl", from.ttl);
  add(settings, "loop_wait", from.loop_wait);
  add(settings, "retry_timeout", from.retry_timeout);
  add(settings, "primary_start_timeout", from.primary_start_timeout);
  add(settings, "maximum_lag_on_failover", from.maximum_lag_on_failover_bytes);
  add(settings, "synchronous_mode", from.synchronous_mode);
  add(settings, "synchronous_mode_strict", from.synchronous_mode_strict);
  add(settings, "synchronous_node_count", from.synchronous_node_count);
  add(settings, "failsafe_mode", from.failsafe_mode);
  add(settings, "watchdog_mode", from.watchdog_mode);
  add(settings, "server_login_retry", from.server_login_retry);
  add(settings, "server_connect_timeout", from.server_connect_timeout);
  add(settings, "query_wait_timeout", from.query_wait_timeout);
  add(settings, "pool_mode", from.pool_mode);
  add(settings, "etcd_heartbeat_interval", from.etcd_heartbeat_interval);
  add(settings, "etcd_election_timeout", from.etcd_election_timeout);
  add(settings, "vip_interval", from.vip_interval);
  add(settings, "synchronous_commit", from.synchronous_commit);
  add(settings, "archive_timeout", from.archive_timeout);
  for (const ListenerTimings& listener : from.listeners) {
    std::string timings;
    if (listener.inter) timings += "inter " + text(*listener.inter);
    if (listener.fastinter) timings += " fastinter " + text(*listener.fastinter);
    if (listener.fall) timings += " fall " + text(*listener.fall);
    if (listener.rise) timings += " rise " + text(*listener.rise);
    settings.emplace("haproxy." + listener.listener, timings);
  }
  return settings;
}

/// Longer than the leader's key lives: a fault that ends before it has its effect would measure nothing.
void settle_hold(FaultSpec& fault, const FailoverSettings& settings) {
  const auto* kind = fault::find_fault_kind(fault.kind);
  if (kind == nullptr || !kind->holds || fault.hold_s) return;
  fault.hold_s = static_cast<double>(settings.ttl.value.value_or(kUsualTtl).count()) + kHoldMargin;
}

}  // namespace

ClusterSummary summarise(const ClusterDescription& cluster) {
  ClusterSummary summary{
      .name = cluster.name,
      .system_identifier = cluster.system_identifier,
      .deployment_type = to_string(cluster.type),
      .settings = settings_of(cluster.settings),
      .synchronous_mode = cluster.settings.synchronous_mode.value.value_or(""),
      .synchronous_mode_strict = cluster.settings.synchronous_mode_strict.value.value_or(false)};
  for (const Member& member : cluster.members) {
    summary.members.push_back({member.name, member.host, member.postgres.to_string(), member.role});
    if (summary.postgres_version.empty()) summary.postgres_version = member.postgres_version;
    if (summary.patroni_version.empty()) summary.patroni_version = member.patroni_version;
  }
  return summary;
}

RunManifest make_manifest(const RunRequest& request, const ClusterDescription& cluster, const Clock& clock) {
  RunManifest manifest{
      .tool_version = request.tool_version,
      .run_id = request.run_id,
      .suite = request.suite.name,
      .seed = request.seed,
      .argv = request.argv,
      .repro = request.repro,
      .origin = {.monotonic = clock.monotonic(), .boottime = clock.boottime(), .wall = clock.wall()},
      .cluster = summarise(cluster),
      .paths = find_paths(cluster),
      .continues = request.continues.run_id,
      .needs_every_drill = request.suite.needs_every_drill};
  assign_rates(manifest.paths, request.suite.pooled_hz, request.suite.ledger_hz, logins_per_second(cluster));
  for (const DrillSpec& spec : request.suite.drills) {
    manifest.drills.push_back(spec.plan);
    DrillPlan& plan = manifest.drills.back();
    settle_hold(plan.fault, cluster.settings);
    for (FaultSpec& further : plan.then) settle_hold(further, cluster.settings);
    if (!spec.observe_given) plan.observe_s = observe_seconds(cluster.settings);
    settle_expectations(plan, cluster);
    plan.measured = measured_before(request.continues, plan);
  }
  return manifest;
}

bool needs_helper(const RunManifest& manifest) {
  const auto on_hosts = [](const FaultSpec& spec) {
    const auto* kind = fault::find_fault_kind(spec.kind);
    return kind != nullptr && kind->on_hosts;
  };
  return std::any_of(manifest.drills.begin(), manifest.drills.end(), [&](const DrillPlan& plan) {
    if (plan.measured) return false;
    return on_hosts(plan.fault) || std::any_of(plan.then.begin(), plan.then.end(), on_hosts);
  });
}

bool lower_fresh_rates(RunManifest& manifest, const RunRequest& request, const ClusterDescription& cluster,
                       double pooler_cpu_s_per_login) {
  const double bearable = bearable_logins(pooler_cpu_s_per_login);
  if (bearable >= logins_per_second(cluster)) return false;
  assign_rates(manifest.paths, request.suite.pooled_hz, request.suite.ledger_hz, bearable);
  return true;
}

}  // namespace pgfiredrill
