#include "fault-injectors/fault.h"

#include <algorithm>

#include "fault-injectors/kill_postmaster.h"
#include "fault-injectors/patroni_switchover.h"

namespace pgfiredrill::fault {

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds{patroni_switchover(), kill_postmaster()};
  return kinds;
}

const FaultKind* find_fault_kind(const std::string& name) {
  const auto& kinds = fault_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const FaultKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace pgfiredrill::fault
