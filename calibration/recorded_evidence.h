#pragma once

/// From a calibration's run record to what is compared: judged by the folds that judge every run.

#include <string>
#include <vector>

#include "calibration/comparison.h"
#include "calibration/stage.h"

namespace pgfiredrill {

/// `truths` are of the lanes in their order; the record's paths are those of `paths_over`. Blocking. Fails
/// where the record cannot be read.
[[nodiscard]] Result<std::vector<PathEvidence>> read_evidence(
    const std::string& run_folder, const std::vector<StageLane>& lanes,
    const std::vector<std::vector<TrueOutage>>& truths);

}  // namespace pgfiredrill
