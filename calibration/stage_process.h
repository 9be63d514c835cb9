#pragma once

/// What the process of a `Stage` does from its first instruction to its last.

#include "calibration/stage.h"
#include "record/descriptor.h"

namespace pgfiredrill {

/// Serves until nobody is at the other end of `channel`. Never throws.
void run_stage_process(const StageOptions& options, const Descriptor& channel) noexcept;

}  // namespace pgfiredrill
