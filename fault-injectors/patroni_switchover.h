#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A planned switchover, asked of Patroni; it chooses the candidate. The old leader follows by itself.
[[nodiscard]] FaultKind patroni_switchover();

}  // namespace pgfiredrill::fault
