#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A service that is stopped and cannot be started until the revert. Where Patroni is stopped PostgreSQL
/// stops with it, in order.
[[nodiscard]] FaultKind stop_service();

}  // namespace pgfiredrill::fault
