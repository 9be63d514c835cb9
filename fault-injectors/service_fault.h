#pragma once

/// Faults that take one service away from each victim for a while, by a verb of the helper's.

#include <string>
#include <vector>

#include "fault-injectors/host_fault.h"

namespace pgfiredrill::fault {

class ServiceFault : public HostFault {
 public:
  /// `verb`: the helper's, `stop`, `freeze`, `crash-loop`.
  ServiceFault(const FaultSpec& spec, Tools tools, std::string verb);

 protected:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot& now) override;
  /// Every victim must show it where the cluster can show it.
  [[nodiscard]] Evidence judge(const ClusterSnapshot& now) override;

 private:
  std::string verb_;
};

}  // namespace pgfiredrill::fault
