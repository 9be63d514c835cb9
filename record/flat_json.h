#pragma once

/// JSON that may be hostile: our own documents are shallow, and whoever nests one by millions would break
/// what walks over it.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace pgfiredrill {

/// Discarded (`is_discarded()`) where the text is no JSON, or nested deeper than 32 levels. Throws nothing.
[[nodiscard]] nlohmann::json parse_flat_json(const std::string& text);

}  // namespace pgfiredrill
