#pragma once

/// The latency histograms of a run's paths, for whoever wants more of them than a report's quantiles. Pure:
/// reads through the functions given, one repeat at a time.

#include <cstddef>
#include <functional>
#include <string>

#include "base/failure.h"
#include "measure/judge.h"
#include "measure/path_latency.h"

namespace pgfiredrill {

/// Of one path, a canary's or the ledger's, in one repeat.
struct RunHistograms {
  std::string drill;
  std::size_t repeat = 0;  ///< from 0
  std::string path;
  PathHistograms histograms;
};

/// Fails where the operations of a repeat cannot be read.
[[nodiscard]] Result<void> for_each_path(const RunInput& input,
                                         const std::function<void(const RunHistograms&)>& see);

}  // namespace pgfiredrill
