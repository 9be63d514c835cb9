#pragma once

/// The lab's own command, for tests that power hosts off, look inside them or wait until all is well.

#include <chrono>
#include <string>
#include <vector>

#include "base/process.h"

namespace pgfiredrill::testing {

/// Runs `argv` to its end; fails the test where it cannot start or takes longer than `deadline`.
ProcessResult execute(std::vector<std::string> argv,
                      std::chrono::milliseconds deadline = std::chrono::minutes{5});

/// Runs `lab/lab COMMAND --name NAME …` for the lab under test: the one that PGFIREDRILL_LAB_NAME names, else
/// the default one. `arguments` begin with the command.
ProcessResult lab(std::vector<std::string> arguments);

}  // namespace pgfiredrill::testing
