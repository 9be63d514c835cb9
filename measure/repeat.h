#pragma once

/// Judges one repeat of a drill: every number of it, and its verdict.

#include <string>
#include <vector>

#include "base/finding.h"
#include "measure/judge.h"
#include "measure/repeat_facts.h"
#include "measure/results.h"

namespace pgfiredrill {

struct JudgedRepeat {
  RepeatResult result;
  bool ran_to_its_end = false;  ///< its numbers belong into the drill's summary
  std::vector<Finding> findings;
  std::vector<std::string> damage;  ///< what of the record could not be read, a sentence each
};

[[nodiscard]] JudgedRepeat judge_repeat(const RunInput& input, const DrillPlan& plan,
                                        const RepeatFacts& facts);

}  // namespace pgfiredrill
