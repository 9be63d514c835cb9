#pragma once

/// The value of a metric by its name, as `metrics()` lists them. Pure.

#include <optional>
#include <string>

#include "measure/results.h"

namespace pgfiredrill {

/// Absent where it was not measured or is no metric of paths.
[[nodiscard]] std::optional<double> path_value(const PathResult& path, const std::string& metric);
/// Absent where it was not measured or is no metric of a whole repeat.
[[nodiscard]] std::optional<double> repeat_value(const RepeatResult& repeat, const std::string& metric);

}  // namespace pgfiredrill
