#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A replica's data directory thrown away and made anew, asked of Patroni.
[[nodiscard]] FaultKind patroni_reinitialize();

}  // namespace pgfiredrill::fault
