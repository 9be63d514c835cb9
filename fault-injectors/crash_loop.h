#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A service that is killed each time it comes up, until systemd gives up on it: nothing starts it again.
[[nodiscard]] FaultKind crash_loop();

}  // namespace pgfiredrill::fault
