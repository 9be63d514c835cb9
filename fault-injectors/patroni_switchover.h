#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A planned switchover, asked of Patroni, at once or scheduled. The old leader follows by itself; a schedule
/// that has not come about is cancelled.
[[nodiscard]] FaultKind patroni_switchover();

}  // namespace pgfiredrill::fault
