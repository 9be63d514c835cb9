#pragma once

/// What clients saw of replicas' age, and what became of the sessions they held, in report.json.

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/results.h"

namespace pgfiredrill {

[[nodiscard]] nlohmann::ordered_json replica_lag_json(const std::optional<ReplicaLag>& lag);
[[nodiscard]] nlohmann::ordered_json clients_json(const std::vector<ClientResult>& clients);

}  // namespace pgfiredrill
