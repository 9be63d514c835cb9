#pragma once

/// A text as JSON writes it, for the few documents that are built here.

#include <string>

namespace pgfiredrill {

/// With its quotes; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_quote(const std::string& text);

}  // namespace pgfiredrill
