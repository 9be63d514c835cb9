#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A process that dies at once, on a host that lives. Whoever watches it (Patroni, systemd) starts it again.
[[nodiscard]] FaultKind kill_process();

}  // namespace pgfiredrill::fault
