#pragma once

/// Waiting for hosts that were switched off or rebooted.

#include <chrono>
#include <vector>

#include "base/clock.h"
#include "base/failure.h"
#include "base/host.h"

namespace pgfiredrill::fault {

/// The firmware of real servers alone may take minutes.
inline constexpr std::chrono::minutes kBootPatience{5};

/// Until all of them let us log in; fails `timed_out` for the first that did not. Blocking.
[[nodiscard]] Result<void> wait_for_logins(const std::vector<Host*>& hosts, Clock& clock,
                                           nanoseconds patience);

}  // namespace pgfiredrill::fault
