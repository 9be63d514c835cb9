#pragma once

/// CRC-32C (Castagnoli), the checksum of everything binary in a run record.

#include <cstddef>
#include <cstdint>
#include <span>

namespace pgfiredrill {

/// Of `bytes`, or of what `before` is the checksum of followed by `bytes`.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;
/// The same without the processor's help, for processors that have none.
[[nodiscard]] std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes,
                                             std::uint32_t before = 0) noexcept;

}  // namespace pgfiredrill
