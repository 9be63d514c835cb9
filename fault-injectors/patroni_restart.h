#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// PostgreSQL of one member restarted in place, asked of Patroni.
[[nodiscard]] FaultKind patroni_restart();

}  // namespace pgfiredrill::fault
