#pragma once

/// report.json: everything that is known of a run, for machines. Pure.

#include <string>

#include "measure/results.h"

namespace pgfiredrill {

/// One JSON document as report/report.schema.json describes it: `_at` RFC 3339 UTC, `_s` seconds, instants
/// among them from the repeat's injection. What was not measured is null, and `not_measured` says why.
[[nodiscard]] std::string render_run_json(const RunResult& run);

}  // namespace pgfiredrill
