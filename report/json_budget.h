#pragma once

/// What was expected of a drill, as report.json holds it.

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "base/budget.h"

namespace pgfiredrill {

[[nodiscard]] nlohmann::ordered_json budget_json(const std::optional<Budget>& budget);

}  // namespace pgfiredrill
