#pragma once

/// Expectations against what was measured in one repeat. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/expectation.h"
#include "base/verdict.h"
#include "measure/path_fold.h"
#include "measure/results.h"

namespace pgfiredrill {

struct JudgedExpectation {
  ExpectationResult result;
  Verdict verdict = Verdict::inconclusive;  ///< passed, failed or inconclusive
  std::string reason;                       ///< a sentence, where it did not pass
};

struct ExpectationInput {
  const RepeatResult& repeat;
  /// The same paths as `repeat.paths`, in the same order.
  const std::vector<MeasuredPath>& paths;
  /// Where full health was not reached: it took at least this long.
  std::optional<double> full_health_at_least_s;
  /// Why nothing of this repeat can be laid at the fault's door; empty: all is well.
  std::string distrust;
};

[[nodiscard]] JudgedExpectation judge_expectation(const Expectation& expectation,
                                                  const ExpectationInput& input);

/// "outage_s (read_write, fresh)"
[[nodiscard]] std::string describe(const Expectation& expectation);

}  // namespace pgfiredrill
