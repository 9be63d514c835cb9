#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// Packets between a host and some of those that it works with are dropped or refused; SSH is never cut.
[[nodiscard]] FaultKind cut_network();

}  // namespace pgfiredrill::fault
