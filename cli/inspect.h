#pragma once

/// `pgfiredrill inspect`: reads a cluster and says what it is.

#include <iosfwd>

#include "base/exit_class.h"
#include "cli/command_line.h"

namespace pgfiredrill {

/// Writes the result to `out`. `terminal_width` is 0 where `out` is no terminal (then without colours).
/// Throws `Error` with `bad_usage` where the input cannot be read; returns `inconclusive` where a part of the
/// cluster did not answer.
[[nodiscard]] ExitClass run_inspect(const InspectCommand& command, std::ostream& out,
                                    std::size_t terminal_width);

}  // namespace pgfiredrill
