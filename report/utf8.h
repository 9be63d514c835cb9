#pragma once

/// Texts of servers and files need not be UTF-8, and may hold what a terminal obeys.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pgfiredrill {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The one that begins `text`, which is not empty; where it is no UTF-8 (cut, overlong, a surrogate), its
/// first byte.
[[nodiscard]] Utf8Character first_character(std::string_view text) noexcept;

/// What stands for a byte that is no UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

/// On one line, valid UTF-8, without any control character, at most about `limit` bytes.
[[nodiscard]] std::string printable(const std::string& text, std::size_t limit = 400);

}  // namespace pgfiredrill
