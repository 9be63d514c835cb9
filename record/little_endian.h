#pragma once

/// Numbers in files: little-endian whatever machine writes or reads them.

#include <concepts>
#include <cstddef>

namespace pgfiredrill {

/// `width` bytes where a number takes less than its type has.
template <std::unsigned_integral T>
void store_little(std::byte* at, T value, std::size_t width = sizeof(T)) noexcept {
  for (std::size_t i = 0; i < width; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

template <std::unsigned_integral T>
[[nodiscard]] T load_little(const std::byte* at, std::size_t width = sizeof(T)) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(at[i]) << (8 * i)));
  }
  return value;
}

}  // namespace pgfiredrill
