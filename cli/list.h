#pragma once

/// `pgfiredrill list`: what there is to run.

#include <iosfwd>

#include "base/exit_class.h"
#include "cli/command_line.h"

namespace pgfiredrill {

[[nodiscard]] ExitClass run_list(const ListCommand& command, std::ostream& out);

}  // namespace pgfiredrill
