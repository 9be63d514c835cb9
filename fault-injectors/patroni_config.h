#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// One setting of Patroni's dynamic configuration changed, and set back by two hosts, each only if the value
/// is still the one that was set.
[[nodiscard]] FaultKind patroni_config();

}  // namespace pgfiredrill::fault
