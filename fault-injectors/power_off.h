#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A host without power, by the command that the user gave for it. Nothing on the host undoes that: the same
/// command does.
[[nodiscard]] FaultKind power_off();

}  // namespace pgfiredrill::fault
