#include "suites/expected.h"

#include <algorithm>
#include <set>

#include "measure/budget.h"

namespace pgfiredrill {
namespace {

/// autobase's names, where no balancer was found.
constexpr const char* kPrimaryListener = "master";
constexpr const char* kReplicaListener = "replicas";

std::string listener_of(const ClusterDescription& cluster, EntryPointRole role, const char* otherwise) {
  const auto found =
      std::find_if(cluster.entry_points.begin(), cluster.entry_points.end(),
                   [&](const EntryPoint& point) { return point.role == role && !point.listener.empty(); });
  return found == cluster.entry_points.end() ? otherwise : found->listener;
}

/// Where nothing is known of the consensus store's hosts it may be on the members', which costs more.
bool consensus_on_members(const ClusterDescription& cluster) {
  std::set<std::string> consensus;
  for (const HostDescription& host : cluster.hosts) {
    if (host.roles.contains(HostRole::consensus)) consensus.insert(host.name);
  }
  if (consensus.empty()) return true;
  return std::any_of(cluster.members.begin(), cluster.members.end(),
                     [&](const Member& member) { return consensus.contains(member.host); });
}

void settle_outage(Expectation& expectation, const DrillPlan& plan) {
  const bool reads = expectation.where.access == to_string(Access::read_only);
  const OutageLimit limit = expectation.basis == kLimitHold ? hold_limit(plan.fault, plan.then)
                                                            : outage_limit(*plan.budget, !reads);
  expectation.limit = limit.limit_s;
  expectation.reason = limit.reason;
}

/// An unplanned failover of an asynchronous cluster may lose so much that counting writes would judge the
/// traffic: its WAL is judged.
void settle_promise(Expectation& expectation, const Budget& budget) {
  expectation.limit = 0;
  expectation.reason = "no acknowledged write may be lost by such a fault";
  if (budget.loss_limit_unknown) {
    expectation.reason += "; maximum_lag_on_failover is not known";
  } else if (budget.loss_limit_bytes) {
    expectation.metric = "rpo_bytes";
    expectation.limit = *budget.loss_limit_bytes;
    expectation.reason =
        "maximum_lag_on_failover, and what the old leader wrote in its last ttl: replication is asynchronous";
  }
}

}  // namespace

void settle_expectations(DrillPlan& plan, const ClusterDescription& cluster) {
  const std::size_t members = cluster.members.size();
  plan.budget =
      expect_budget({.settings = cluster.settings,
                     .fault = plan.fault,
                     .then = plan.then,
                     .primary_listener = listener_of(cluster, EntryPointRole::primary, kPrimaryListener),
                     .replica_listener = listener_of(cluster, EntryPointRole::replica, kReplicaListener),
                     .replicas = members > 0 ? members - 1 : 0,
                     .consensus_on_members = consensus_on_members(cluster),
                     .virtual_address = !cluster.virtual_addresses.empty()});
  for (Expectation& expectation : plan.expectations) {
    if (expectation.basis == kLimitBudget || expectation.basis == kLimitHold) {
      settle_outage(expectation, plan);
    } else if (expectation.basis == kLimitPromise) {
      settle_promise(expectation, *plan.budget);
    }
  }
}

}  // namespace pgfiredrill
