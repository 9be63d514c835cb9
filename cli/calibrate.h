#pragma once

/// `pgfiredrill calibrate`: the instrument against outages that are known, on this machine alone.

#include <iosfwd>

#include "base/exit_class.h"
#include "cli/command_line.h"

namespace pgfiredrill {

/// Before this process has threads. `terminal_width` is 0 where `out` is no terminal. Passed where every
/// kind's bounds hold; `inconclusive` where a kind could not be run and no other failed. Throws `Error` where
/// nothing could be calibrated, `aborted` after Ctrl-C.
[[nodiscard]] ExitClass run_calibrate(const CalibrateCommand& command, std::ostream& out,
                                      std::size_t terminal_width);

}  // namespace pgfiredrill
