#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// As many sessions as the pooler has servers for, and more, through the first read-write entry point. They
/// are the traffic's role's, which has a limit of its own on each server, and end with this program.
[[nodiscard]] FaultKind connection_storm();

}  // namespace pgfiredrill::fault
