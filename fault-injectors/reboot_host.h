#pragma once

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// An orderly reboot of a host without a word to Patroni, as after an update of the kernel.
[[nodiscard]] FaultKind reboot_host();

}  // namespace pgfiredrill::fault
