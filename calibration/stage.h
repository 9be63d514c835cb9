#pragma once

/// The other side of a calibration, in a process of its own, so that its CPU time and its stalls are not
/// ours: a stub server, and before it one way in for each lane, which fails as the lane's plan says.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "calibration/outage_kind.h"
#include "calibration/outage_plan.h"
#include "record/descriptor.h"

namespace pgfiredrill {

struct StageLane {
  OutageKind kind = OutageKind::refuse;
  std::vector<PlannedOutage> plan;
};

struct StageOptions {
  std::vector<StageLane> lanes;
  /// Of a `Blackhole`; needed where a lane is one.
  std::string blackhole_name;
  std::string blackhole_address;
};

class Stage {
 public:
  /// Forks: to be called before this process has threads. Blocks until everything listens. Fails with the
  /// other process's reason.
  [[nodiscard]] static Result<std::unique_ptr<Stage>> start(const StageOptions& options);
  /// Ends the process, which ends with this one too, however that ends.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// The stub itself, without anything before it.
  [[nodiscard]] const Endpoint& server() const noexcept { return server_; }
  /// In the order of the options.
  [[nodiscard]] const std::vector<Endpoint>& lanes() const noexcept { return lanes_; }

  /// The plans' own start is at that instant of the monotonic clock.
  [[nodiscard]] Result<void> go(nanoseconds at);
  struct LaneOutage {
    std::size_t lane = 0;
    TrueOutage outage;
  };
  /// Waits for the end of the next outage, at most `limit`; nothing where none ended. Fails where the process
  /// could not go on.
  [[nodiscard]] Result<std::optional<LaneOutage>> next_outage(nanoseconds limit);

 private:
  Stage(int process, Descriptor channel);
  [[nodiscard]] Result<void> await_addresses();

  int process_;
  Descriptor channel_;
  Endpoint server_;
  std::vector<Endpoint> lanes_;
};

}  // namespace pgfiredrill
