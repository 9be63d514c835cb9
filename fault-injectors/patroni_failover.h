#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A manual failover: Patroni is told who shall lead, while the leader is alive. The old leader follows by
/// itself.
[[nodiscard]] FaultKind patroni_failover();

}  // namespace pgfiredrill::fault
