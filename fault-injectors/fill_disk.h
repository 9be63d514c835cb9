#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// The file system of the data is filled up to a small rest, as PostgreSQL itself may use it.
[[nodiscard]] FaultKind fill_disk();

}  // namespace pgfiredrill::fault
