#include <algorithm>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "drivers/client_plan.h"
#include "drivers/traffic_schema.h"
#include "suites/drill.h"
#include "suites/plan.h"
#include "suites/preflight.h"
#include "suites/preflight_judgement.h"
#include "suites/run.h"

namespace pgfiredrill {
namespace {

void add(std::vector<std::string>& lines, const std::string& heading, const std::vector<std::string>& steps) {
  lines.push_back(heading);
  for (const std::string& step : steps) lines.push_back("  " + step);
}

std::vector<std::string> describe_traffic(const RunManifest& manifest) {
  std::vector<std::string> lines;
  for (const TrafficPath& path : manifest.paths) {
    char rates[64];
    std::snprintf(rates, sizeof rates, ": %.3g a second, %.3g of them writes", path.rate_hz,
                  path.write_rate_hz);
    lines.push_back((path.purpose == Purpose::canary ? "" : to_string(path.purpose) + std::string{" "}) +
                    path.id + rates);
  }
  return lines;
}

std::vector<std::string> describe_observer(const ClusterDescription& cluster) {
  std::vector<std::string> lines;
  for (const Member& member : cluster.members) {
    lines.push_back(member.name + " at " + member.postgres.to_string() +
                    ": asked how it is ten times a second; nothing is written");
  }
  return lines;
}

std::vector<std::string> describe_clients(const RunManifest& manifest, const ClusterDescription& cluster) {
  std::map<std::string, std::map<std::string, int>> counts;  // entry point, kind
  for (const ClientSpec& client :
       plan_clients(manifest.paths, cluster.settings.pool_mode.value.value_or(""), kLedgerConnections)) {
    ++counts[client.path.entrypoint][to_string(client.kind)];
  }
  std::vector<std::string> lines;
  for (const auto& [entrypoint, kinds] : counts) {
    std::vector<std::string> parts;
    for (const auto& [kind, count] : kinds) parts.push_back(std::to_string(count) + " " + kind);
    lines.push_back(entrypoint + ": " + join(parts, ", "));
  }
  return lines;
}

std::vector<std::string> describe_fault(const FaultSpec& spec, const RunEnvironment& environment,
                                        const ClusterSnapshot& now) {
  const auto fault = environment.make_fault(spec, {.cluster = environment.cluster,
                                                   .http = environment.http,
                                                   .hosts = environment.hosts,
                                                   .probe = environment.fault_probe,
                                                   .clock = environment.clock,
                                                   .helper = environment.helper,
                                                   .id = "RUN.1",
                                                   .power = environment.power});
  if (const auto aimed = fault->aim(now); !aimed) return {aimed.error().message()};
  return fault->describe();
}

std::vector<std::string> describe_faults(const DrillPlan& plan, const RunEnvironment& environment,
                                         const ClusterSnapshot& now) {
  std::vector<std::string> lines = describe_fault(plan.fault, environment, now);
  for (const FaultSpec& further : plan.then) {
    lines.push_back("and then, by who is what by then, as it is now:");
    const auto more = describe_fault(further, environment, now);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

/// Asks what preflight asks, but for what would have to be waited for.
void describe_preflight(const RunRequest& request, const RunEnvironment& environment,
                        const ClusterSnapshot& now, std::vector<std::string>& lines) {
  std::vector<Obstacle> obstacles = firm(refusals_by_snapshot(environment.cluster, now));
  for (const auto& more :
       {obstacles_by_description(environment.cluster), obstacles_by_looking(request, environment, now)}) {
    obstacles.insert(obstacles.end(), more.begin(), more.end());
  }
  const Sifted sifted = sift(obstacles, request.overrides);
  if (!sifted.refusals.empty()) {
    add(lines, "Preflight would refuse, as the cluster is now:", sifted.refusals);
  }
  std::vector<std::string> passed;
  for (const Obstacle& obstacle : sifted.overridden) passed.push_back(obstacle.name + ": " + obstacle.text);
  if (!passed.empty()) add(lines, "Let pass on request:", passed);
  const auto drills = dangerous_drills(make_manifest(request, environment.cluster, environment.clock));
  if (drills.empty() || request.accept_data_loss) return;
  add(lines,
      "Refused where others write and replication is asynchronous (watched for 10 s by a run):", drills);
}

}  // namespace

std::vector<std::string> describe_run(const RunRequest& request, const RunEnvironment& environment) {
  const RunManifest manifest = make_manifest(request, environment.cluster, environment.clock);
  const ClusterSnapshot now = environment.fault_probe.look();
  std::vector<std::string> lines;
  describe_preflight(request, environment, now, lines);
  add(lines,
      "Lock and record of the run, on every host, removed at the end:", environment.locks.lock_commands());
  add(lines,
      "Database and role for the traffic, on the leader, dropped at the end:", traffic_schema_statements());
  add(lines, "Traffic from this machine:", describe_traffic(manifest));
  add(lines, "Sessions held across each fault as applications hold them:",
      describe_clients(manifest, environment.cluster));
  add(lines, "Direct sessions from this machine, where the network is closed through SSH:",
      describe_observer(environment.cluster));
  for (const DrillPlan& plan : manifest.drills) {
    if (plan.measured) {
      lines.push_back("Drill " + plan.name + ": measured in " + plan.measured->run + ", not run again");
      continue;
    }
    add(lines,
        "Drill " + plan.name + (plan.repeats > 1 ? ", " + std::to_string(plan.repeats) + " times" : "") +
            ", as the cluster is now:",
        describe_faults(plan, environment, now));
  }
  if (request.suite.reconnect_capacity) {
    add(lines, "After the last drill, on the healthy cluster:",
        {"logins as fast as they go through one entry point of each layer, at most 16 at once, some 20 s"});
  }
  if (!request.keep_leader) {
    const PatroniMember* leader = now.leader();
    add(lines, "At the end, where another member leads by then:",
        {"switchover back to " + (leader == nullptr ? std::string{"the leader"} : leader->name) +
         " by Patroni's REST interface"});
  }
  return lines;
}

}  // namespace pgfiredrill
