#pragma once

/// Findings about sessions that were led to, or kept from, the wrong server long after the roles were clear.

#include <string>
#include <vector>

#include "base/finding.h"
#include "measure/path_fold.h"
#include "measure/repeat_times.h"

namespace pgfiredrill {

/// `pooler.stale-in-hot-standby` and `routing.stale` of one repeat; `label` says which ("switchover, repeat
/// 2").
[[nodiscard]] std::vector<Finding> find_stale_routing(const std::string& label, const RepeatTimes& times,
                                                      const std::vector<MeasuredPath>& paths);

/// One finding for each id and place, the evidence of all.
[[nodiscard]] std::vector<Finding> merge_findings(const std::vector<Finding>& findings);

}  // namespace pgfiredrill
