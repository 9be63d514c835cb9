#pragma once

/// What the servers themselves told, in report.json: their clocks, and whether two of them took writes at
/// once.

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/results.h"

namespace pgfiredrill {

[[nodiscard]] nlohmann::ordered_json clocks_json(const std::vector<ClockResult>& clocks);
[[nodiscard]] nlohmann::ordered_json split_brain_json(const std::optional<SplitBrain>& split_brain);

}  // namespace pgfiredrill
