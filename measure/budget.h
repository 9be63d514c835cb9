#pragma once

/// What a drill is expected to cost on this cluster, from the cluster's own settings. The timing model behind
/// it stands in docs/measuring.md ("The budget"), its stages in budget_parts.h. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/settings.h"
#include "record/manifest.h"

namespace pgfiredrill {

/// All that is referred to must outlive the call.
struct BudgetInput {
  const FailoverSettings& settings;
  const FaultSpec& fault;
  const std::vector<FaultSpec>& then;
  /// HAProxy's sections, as `settings.listeners` names them.
  std::string primary_listener = "master";
  std::string replica_listener = "replicas";
  std::size_t replicas = 2;
  bool consensus_on_members = true;     ///< a member's host takes a member of the consensus store with it
  bool virtual_address = false;         ///< clients reach the balancers through one that moves
  std::optional<bool> watchdog_device;  ///< whether /dev/watchdog is there; absent: not known
};

[[nodiscard]] Budget expect_budget(const BudgetInput& input);

/// A number to hold a measured outage against, and why it is that one.
struct OutageLimit {
  double limit_s = 0;
  std::string reason;
};

/// The budget's maximum × 1.25 + 3 s; the greater of both where a watchdog could change the course. Where a
/// setting is not known: the time from which on operators raise an alarm.
[[nodiscard]] OutageLimit outage_limit(const Budget& budget, bool read_write);
/// For an outage that lasts as long as a fault is held, with the same margin.
[[nodiscard]] OutageLimit hold_limit(const FaultSpec& fault, const std::vector<FaultSpec>& then);

}  // namespace pgfiredrill
