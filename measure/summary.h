#pragma once

/// The numbers of a drill over its repeats. Pure; the same seed gives the same intervals everywhere.

#include <cstdint>
#include <vector>

#include "measure/results.h"

namespace pgfiredrill {

/// One row for each metric and path that has a value in any of `repeats`. Numbers of a path whose instrument
/// is not valid are left out; an outage that was still open counts with what was seen of it.
[[nodiscard]] std::vector<SummaryRow> summarize(const std::vector<const RepeatResult*>& repeats,
                                                std::uint64_t seed);

}  // namespace pgfiredrill
