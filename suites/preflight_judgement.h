#pragma once

/// From what preflight learnt to what stands in a run's way. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "fault-injectors/host_lock.h"
#include "record/manifest.h"
#include "suites/obstacle.h"
#include "suites/preflight_facts.h"

namespace pgfiredrill {

[[nodiscard]] std::vector<Obstacle> obstacles_by_facts(const PreflightFacts& facts);

/// Runs that broke something within the last day, but the one that is being continued ("": none).
[[nodiscard]] std::vector<Obstacle> obstacles_by_stamps(const std::vector<fault::HostState>& states,
                                                        const std::string& continues);

/// Drills of which a fault may end in a failover nobody planned, by name.
[[nodiscard]] std::vector<std::string> dangerous_drills(const RunManifest& manifest);
/// The cluster promises that an acknowledged write is on two servers.
[[nodiscard]] bool promises_synchronous(const RunManifest& manifest);

/// What others write while nothing of ours does.
struct OthersWrite {
  double rows_per_s = 0;
  std::vector<std::string> databases;     ///< in which
  std::size_t databases_not_counted = 0;  ///< in which nobody knows
};
[[nodiscard]] OthersWrite others_between(const WrittenRows& before, const WrittenRows& after,
                                         nanoseconds apart);

/// Why those drills would lose others' acknowledged writes; absent: nobody else writes.
[[nodiscard]] std::optional<std::string> danger_to_others(const std::vector<std::string>& drills,
                                                          const OthersWrite& others);

}  // namespace pgfiredrill
