#pragma once

/// `pgfiredrill run SUITE`: from the command line to a run and its reports.

#include <iosfwd>

#include "base/exit_class.h"
#include "cli/command_line.h"

namespace pgfiredrill {

/// Throws `Error`: with `bad_usage` before anything was touched. `terminal_width` is 0 where `out` is no
/// terminal.
[[nodiscard]] ExitClass run_drills(const RunCommand& command, std::ostream& out, std::size_t terminal_width);

}  // namespace pgfiredrill
