#pragma once

/// A lab that is healthy when a test begins, and what it takes to leave it so.

#include <memory>
#include <string>
#include <vector>

#include "cluster/cluster_probe.h"
#include "fault-injectors/helper.h"
#include "tests/lab/discovered_lab.h"

namespace pgfiredrill::testing {

class HealthyLab : public DiscoveredLab {
 protected:
  /// First in SetUp: skips as `discover_lab` does, and fails where the lab is not healthy.
  void look_at_lab();

  [[nodiscard]] HostFinder finder();
  /// What is missing to health as it was at the beginning, after two and a half minutes at most.
  [[nodiscard]] std::vector<std::string> wait_for_health();
  /// To the member that led at the beginning; of a healthy cluster.
  void put_leader_back();

  fault::Helper helper_{true};
  std::unique_ptr<ClusterProbe> probe_;
  ClusterSnapshot baseline_;
  std::string original_;  ///< who led; empty until the lab was seen healthy
};

}  // namespace pgfiredrill::testing
