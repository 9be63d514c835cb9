#pragma once

/// Faults of the file system that PostgreSQL keeps its data on, by a verb of the helper's.

#include <string>
#include <vector>

#include "fault-injectors/host_fault.h"

namespace pgfiredrill::fault {

class DiskFault : public HostFault {
 public:
  /// `arguments`: what follows the data directory.
  DiskFault(const FaultSpec& spec, Tools tools, std::string verb, std::vector<std::string> arguments = {});

 protected:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot& now) override;

 private:
  std::string verb_;
  std::vector<std::string> arguments_;
};

}  // namespace pgfiredrill::fault
