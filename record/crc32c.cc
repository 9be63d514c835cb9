#include "record/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

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

std::uint32_t by_tables(const std::byte* at, std::size_t left, std::uint32_t crc) noexcept {
  for (; left >= kStride; left -= kStride, at += kStride) {
    crc ^= byte_at(at) | byte_at(at + 1) << 8 | byte_at(at + 2) << 16 | byte_at(at + 3) << 24;
    crc = kTables[7][crc & 0xff] ^ kTables[6][(crc >> 8) & 0xff] ^ kTables[5][(crc >> 16) & 0xff] ^
          kTables[4][crc >> 24] ^ kTables[3][byte_at(at + 4)] ^ kTables[2][byte_at(at + 5)] ^
          kTables[1][byte_at(at + 6)] ^ kTables[0][byte_at(at + 7)];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ byte_at(at)) & 0xff];
  return crc;
}

#if defined(__x86_64__)

/// The processor's own instruction, which is for this very polynomial.
__attribute__((target("sse4.2"))) std::uint32_t by_processor(const std::byte* at, std::size_t left,
                                                             std::uint32_t crc) noexcept {
  std::uint64_t wide = crc;
  for (; left >= sizeof wide; left -= sizeof wide, at += sizeof wide) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at) narrow = _mm_crc32_u8(narrow, std::to_integer<std::uint8_t>(*at));
  return narrow;
}

const bool kByProcessor = __builtin_cpu_supports("sse4.2") != 0;

#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
#if defined(__x86_64__)
  if (kByProcessor) return ~by_processor(bytes.data(), bytes.size(), ~before);
#endif
  return crc32c_by_tables(bytes, before);
}

std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  return ~by_tables(bytes.data(), bytes.size(), ~before);
}

}  // namespace pgfiredrill
