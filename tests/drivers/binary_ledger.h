#pragma once

/// Rows of the ledger as a binary COPY gives them.

#include <cstdint>
#include <string>
#include <vector>

namespace pgfiredrill::testing {

struct LedgerRow {
  std::uint32_t stream = 0;
  std::uint64_t number = 0;
};

inline std::string big_endian(std::uint64_t value, int width) {
  std::string bytes;
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

inline std::string binary_ledger(const std::vector<LedgerRow>& rows) {
  std::string bytes = std::string{"PGCOPY\n\377\r\n\0", 11} + big_endian(0, 8);
  for (const LedgerRow& row : rows) {
    bytes += big_endian(2, 2) + big_endian(4, 4) + big_endian(row.stream, 4) + big_endian(8, 4) +
             big_endian(row.number, 8);
  }
  return bytes + big_endian(0xffff, 2);
}

}  // namespace pgfiredrill::testing
