#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A planned reload, as confd does one each time that a member comes or goes.
[[nodiscard]] FaultKind reload_service();

}  // namespace pgfiredrill::fault
