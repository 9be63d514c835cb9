#pragma once

/// Any text as XML 1.0 may hold it.

#include <string>
#include <string_view>

namespace pgfiredrill {

/// For character data and for attributes in either quotes: markup is escaped, control characters are removed
/// (line breaks and tabs stay, as references), what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace pgfiredrill
