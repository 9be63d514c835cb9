#include "fault-injectors/fault.h"

#include <algorithm>

#include "fault-injectors/kill_postmaster.h"
#include "fault-injectors/patroni_config.h"
#include "fault-injectors/patroni_failover.h"
#include "fault-injectors/patroni_pause.h"
#include "fault-injectors/patroni_reinitialize.h"
#include "fault-injectors/patroni_restart.h"
#include "fault-injectors/patroni_switchover.h"

namespace pgfiredrill::fault {

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds{
      kill_postmaster(),  //
      patroni_switchover(),   patroni_failover(), patroni_restart(),
      patroni_reinitialize(), patroni_pause(),    patroni_config(),
  };
  return kinds;
}

const FaultKind* find_fault_kind(const std::string& name) {
  const auto& kinds = fault_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const FaultKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace pgfiredrill::fault
