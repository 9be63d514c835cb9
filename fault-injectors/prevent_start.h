#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A PostgreSQL that dies and cannot start again, as with a spoiled file: only a failover or a person helps.
[[nodiscard]] FaultKind prevent_start();

}  // namespace pgfiredrill::fault
