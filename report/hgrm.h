#pragma once

/// The percentiles of a histogram as the text form that HdrHistogram's tools and plotters read (`.hgrm`).

#include <string>

#include "measure/histogram.h"

namespace pgfiredrill {

/// Values in milliseconds; five lines for each halving of what is left to 100 %. A histogram that counted
/// nothing has a head and a trailer only.
[[nodiscard]] std::string render_hgrm(const LatencyHistogram& histogram);

}  // namespace pgfiredrill
