#pragma once

/// `latency/` in a run's folder: histograms of each path as `.hgrm` files for HdrHistogram's plotters.

#include <string>

#include "base/failure.h"

namespace pgfiredrill {

/// `<drill>-<repeat>-<path>-<response or service>-<before or after>.hgrm`, repeats from 1, the path's id with
/// `_` for whatever does not belong into a file's name; none for what counted nothing. The folder is the
/// result. Fails where the record cannot be read or a file not be written.
[[nodiscard]] Result<std::string> write_latency_files(const std::string& run_folder);

}  // namespace pgfiredrill
