#pragma once

/// What the servers themselves told, as Markdown; empty where there is nothing to show.

#include <string>

#include "measure/results.h"

namespace pgfiredrill {

[[nodiscard]] std::string clocks_markdown(const RunResult& run);
[[nodiscard]] std::string split_brain_markdown(const RepeatResult& repeat);

}  // namespace pgfiredrill
