#pragma once

/// `pgfiredrill heal`: undoes what a run that was killed has left on a cluster.

#include <iosfwd>

#include "base/exit_class.h"
#include "cli/command_line.h"

namespace pgfiredrill {

/// `passed` where nothing is left to undo, `revert_incomplete` where something is (it says what and how by
/// hand), `preflight_refused` while a run is alive.
[[nodiscard]] ExitClass run_heal(const HealCommand& command, std::ostream& out);

}  // namespace pgfiredrill
