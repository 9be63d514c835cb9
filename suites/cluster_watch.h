#pragma once

/// Looks at the cluster once a second during a run and records what changes: roles, health, who answers.
///
/// Called on main; the looks themselves are background work, one at a time.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/cluster_probe.h"
#include "record/recorder.h"
#include "suites/background.h"

namespace pgfiredrill {

class ClusterWatch {
 public:
  /// All must outlive it. `hosts_of` gives the inventory's host of a member.
  ClusterWatch(ClusterProbe& probe, Background& background, Clock& clock, Recorder& recorder,
               const ClusterDescription& cluster, ClusterSnapshot baseline, std::int64_t maximum_lag_bytes);
  ~ClusterWatch();

  /// Takes in a look that is done and begins the next one where it is due. Never blocks.
  void poll();

  [[nodiscard]] const ClusterSnapshot& latest() const noexcept { return latest_; }
  [[nodiscard]] const std::vector<std::string>& gaps() const noexcept { return gaps_; }
  /// The beginning of the healthy stretch that is going on now; absent where it is not healthy.
  [[nodiscard]] std::optional<nanoseconds> healthy_since() const noexcept { return healthy_since_; }
  /// When roles, states or the timeline last changed.
  [[nodiscard]] nanoseconds last_change() const noexcept { return last_change_; }
  /// One line for people.
  [[nodiscard]] const std::string& topology() const noexcept { return topology_; }

 private:
  void take_in(ClusterSnapshot snapshot);
  void record_servers(const ClusterSnapshot& snapshot);
  void record_topology(const ClusterSnapshot& snapshot);
  void record_health(const ClusterSnapshot& snapshot);

  ClusterProbe& probe_;
  Background& background_;
  Clock& clock_;
  Recorder& recorder_;
  const ClusterDescription& cluster_;
  const ClusterSnapshot baseline_;
  const std::int64_t maximum_lag_bytes_;

  ClusterSnapshot latest_;
  std::vector<std::string> gaps_;
  std::optional<nanoseconds> healthy_since_;
  nanoseconds last_change_{0};
  nanoseconds next_look_{0};
  std::string topology_;
  std::map<std::string, std::string> server_starts_;

  std::optional<ClusterSnapshot> arrived_;
  std::unique_ptr<BackgroundTask> look_;  // last: it uses the others
};

/// "leader pgnode01, timeline 4; pgnode02 streaming, pgnode03 streaming".
[[nodiscard]] std::string topology_line(const ClusterSnapshot& snapshot);

}  // namespace pgfiredrill
