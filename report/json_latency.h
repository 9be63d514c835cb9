#pragma once

/// Latencies, the return to normal, applications' views and reconnect capacity in report.json.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/results.h"

namespace pgfiredrill {

[[nodiscard]] nlohmann::ordered_json latency_json(const PathLatency& latency);
[[nodiscard]] nlohmann::ordered_json ledger_latency_json(const std::vector<LedgerLatency>& ledgers);
[[nodiscard]] nlohmann::ordered_json return_to_normal_json(const std::optional<ReturnToNormal>& back);
[[nodiscard]] nlohmann::ordered_json applications_json(const std::vector<ApplicationView>& views);
[[nodiscard]] nlohmann::ordered_json reconnect_json(const std::vector<ReconnectResult>& layers);

}  // namespace pgfiredrill
