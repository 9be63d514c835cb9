#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A lock held on the leader by an open transaction, in nobody's way: an advisory one, as schedulers and
/// migrations use them, or the one that every open write has on its table.
[[nodiscard]] FaultKind held_lock();

}  // namespace pgfiredrill::fault
