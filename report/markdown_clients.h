#pragma once

/// What clients saw of replicas' age, and what became of the sessions they held, as Markdown; empty where
/// there is nothing to show.

#include <string>

#include "measure/results.h"

namespace pgfiredrill {

[[nodiscard]] std::string replica_lag_markdown(const RepeatResult& repeat);
[[nodiscard]] std::string clients_markdown(const RepeatResult& repeat);

}  // namespace pgfiredrill
