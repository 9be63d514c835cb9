#include "record/crc32c.h"

#include <array>

namespace pgfiredrill {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f6'3b78;  // reflected
constexpr std::size_t kStride = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kStride>;

/// Slicing by eight: a record is judged again from gigabytes of these, a byte at a time would be felt.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kStride; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[slice - 1][byte];
      tables[slice][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint32_t byte_at(const std::byte* at) {
  return std::to_integer<std::uint32_t>(*at);
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= kStride; left -= kStride, at += kStride) {
    crc ^= byte_at(at) | byte_at(at + 1) << 8 | byte_at(at + 2) << 16 | byte_at(at + 3) << 24;
    crc = kTables[7][crc & 0xff] ^ kTables[6][(crc >> 8) & 0xff] ^ kTables[5][(crc >> 16) & 0xff] ^
          kTables[4][crc >> 24] ^ kTables[3][byte_at(at + 4)] ^ kTables[2][byte_at(at + 5)] ^
          kTables[1][byte_at(at + 6)] ^ kTables[0][byte_at(at + 7)];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ byte_at(at)) & 0xff];
  return ~crc;
}

}  // namespace pgfiredrill
