#pragma once

/// Small readers of text that every parser needs. ASCII only; nothing here throws or depends on the locale.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgfiredrill {

[[nodiscard]] std::string_view trim(std::string_view text) noexcept;
[[nodiscard]] std::string lower(std::string_view text);
/// Without '\r' at line ends; a last line without a newline counts, an empty rest does not.
[[nodiscard]] std::vector<std::string_view> lines(std::string_view text);
/// Parts between separators, trimmed, empty ones left out.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, char separator);
/// Words between spaces and tabs.
[[nodiscard]] std::vector<std::string> words(std::string_view text);
/// The parts with `separator` between them, empty ones left out.
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The whole text as a decimal number, nothing around it; absent on anything else and on overflow.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
/// A TCP port, 1 to 65535.
[[nodiscard]] std::optional<int> parse_port(std::string_view text) noexcept;
/// true/yes/on/1 and false/no/off/0 in any case.
[[nodiscard]] std::optional<bool> parse_bool(std::string_view text);

}  // namespace pgfiredrill
