#pragma once

/// Positions in the write-ahead log as text: "16/B374D848".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pgfiredrill {

/// Absent on anything but two hexadecimal numbers of at most eight digits with a slash between.
[[nodiscard]] std::optional<std::uint64_t> parse_lsn(std::string_view text);
[[nodiscard]] std::string format_lsn(std::uint64_t position);

}  // namespace pgfiredrill
