#pragma once

/// `pgfiredrill report RUN`: judges a run's record again.

#include <iosfwd>

#include "base/exit_class.h"
#include "cli/command_line.h"

namespace pgfiredrill {

/// Writes the reports into the run's folder and the one asked for to `out` (of latencies, the folder that
/// they were written to); the exit class is the verdict's.
/// Throws `Error` with `bad_usage` where there is no record. `terminal_width` is 0 where `out` is no
/// terminal.
[[nodiscard]] ExitClass run_report(const ReportCommand& command, std::ostream& out,
                                   std::size_t terminal_width);

}  // namespace pgfiredrill
