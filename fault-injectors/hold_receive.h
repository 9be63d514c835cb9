#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// The replicas get no more WAL until none of them may be promoted: what a loss of the leader means then.
[[nodiscard]] FaultKind hold_receive();

}  // namespace pgfiredrill::fault
