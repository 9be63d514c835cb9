#pragma once

/// What the servers of one repeat were to each other: took two of them writes at once, how far were replicas
/// behind. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "measure/repeat_facts.h"
#include "measure/repeat_traffic.h"
#include "measure/results.h"

namespace pgfiredrill {

struct JudgedSplitBrain {
  std::optional<SplitBrain> result;
  std::string why_not;  ///< where there is no result
  std::string failure;  ///< why the repeat failed; empty: it did not because of this
  std::vector<Finding> findings;
};

/// `label` says which repeat ("switchover, repeat 2").
[[nodiscard]] JudgedSplitBrain judge_split_brain(const std::string& label, const RunManifest& manifest,
                                                 const RepeatFacts& facts, const RepeatTraffic& traffic);

}  // namespace pgfiredrill
