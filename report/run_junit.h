#pragma once

/// junit.xml: a run for CI servers. Pure.

#include <string>

#include "measure/results.h"

namespace pgfiredrill {

/// A testcase for each drill and repeat. What failed is a failure; what was inconclusive, refused or aborted
/// is an error; what was skipped is skipped. A verdict of a drill or of the run that no testcase shows has a
/// testcase of its own, so that the file is never greener than the run.
[[nodiscard]] std::string render_run_junit(const RunResult& run);

}  // namespace pgfiredrill
