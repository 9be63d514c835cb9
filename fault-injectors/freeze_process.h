#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// Processes that are there and do nothing (SIGSTOP): their ports take connections, and no answer ever comes.
/// Of `postmaster` only new logins hang; of `postgresql` sessions do too; of `patroni` its REST.
[[nodiscard]] FaultKind freeze_process();

}  // namespace pgfiredrill::fault
