#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// Patroni paused for the whole cluster: nothing fails over by itself. Undone by two hosts, each only if the
/// pause is still there.
[[nodiscard]] FaultKind patroni_pause();

}  // namespace pgfiredrill::fault
