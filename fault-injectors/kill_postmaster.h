#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// SIGKILL of the leader's postmaster: a crash of PostgreSQL on a host that lives. Patroni starts it again or
/// fails over, as its settings say.
[[nodiscard]] FaultKind kill_postmaster();

}  // namespace pgfiredrill::fault
