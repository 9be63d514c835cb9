#pragma once

/// Latencies, the return to normal, applications' views and reconnect capacity as Markdown; empty where there
/// is nothing to show.

#include <string>

#include "measure/results.h"

namespace pgfiredrill {

[[nodiscard]] std::string latency_markdown(const RepeatResult& repeat);
[[nodiscard]] std::string return_to_normal_markdown(const RepeatResult& repeat);
[[nodiscard]] std::string applications_markdown(const RepeatResult& repeat);
[[nodiscard]] std::string reconnect_markdown(const RunResult& run);

}  // namespace pgfiredrill
