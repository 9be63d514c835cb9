#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A transaction with an ID and an old snapshot, idle on the leader: what a planned change of leader must not
/// wait for, and what keeps vacuum from its work.
[[nodiscard]] FaultKind long_transaction();

}  // namespace pgfiredrill::fault
