#pragma once

/// Each drill in a row: what was expected of it, what was measured, and the verdict. Plain text, a line a
/// cell; the same words on the terminal and in Markdown. Pure.

#include <string>
#include <vector>

#include "base/verdict.h"
#include "measure/results.h"

namespace pgfiredrill {

struct ExpectedRow {
  std::string drill;
  std::string expected;  ///< "24 to 49 s"; "reads 0 to 15 s" where reads are what the drill is about
  std::string measured;  ///< "28.4 s", of several repeats "28.4 s, median 26.1 s"
  Verdict verdict = Verdict::inconclusive;
};

[[nodiscard]] std::vector<ExpectedRow> expected_rows(const RunResult& run);

}  // namespace pgfiredrill
