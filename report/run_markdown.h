#pragma once

/// report.md: a run for a pull request or a ticket. Pure.

#include <string>

#include "measure/results.h"

namespace pgfiredrill {

/// GitHub's Markdown; texts from the record are escaped.
[[nodiscard]] std::string render_run_markdown(const RunResult& run);

}  // namespace pgfiredrill
