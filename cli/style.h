#pragma once

/// How text looks on what stdout is. `terminal_width` is 0 where it is no terminal.

#include <cstddef>
#include <cstdlib>

namespace pgfiredrill {

/// Colours on terminals, unless NO_COLOR asks for none.
[[nodiscard]] inline bool colours_wanted(std::size_t terminal_width) {
  const char* no_color = std::getenv("NO_COLOR");
  return terminal_width > 0 && (no_color == nullptr || *no_color == '\0');
}

/// Columns for running text.
[[nodiscard]] constexpr std::size_t text_width(std::size_t terminal_width) noexcept {
  constexpr std::size_t kPlainWidth = 100;
  return terminal_width > 0 ? terminal_width : kPlainWidth;
}

}  // namespace pgfiredrill
