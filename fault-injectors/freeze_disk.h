#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// A disk that takes no more writes and gives no error: whoever writes waits.
[[nodiscard]] FaultKind freeze_disk();

}  // namespace pgfiredrill::fault
