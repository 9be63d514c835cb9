#pragma once

/// The files of operations: `record/ops-<thread>.bin`, a header and then records of `kOperationBytes`.
///
/// Header, 64 bytes: magic "PGFDOPS1" (8), version (4), bytes of a record (4), the thread's name padded with
/// zeros (44), CRC-32C of what stands before it (4).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pgfiredrill {

inline constexpr std::size_t kOperationHeaderBytes = 64;
using OperationHeaderBytes = std::array<std::byte, kOperationHeaderBytes>;

struct OperationHeader {
  std::uint32_t version = 2;
  std::uint32_t record_bytes = 0;
  std::string thread;

  /// This version can read the records behind it.
  [[nodiscard]] bool readable() const noexcept;
};

/// Letters, digits, '-' and '_', 1 to 44 of them: what goes into a file's name.
[[nodiscard]] bool is_thread_name(const std::string& thread) noexcept;
[[nodiscard]] std::string operation_file_name(const std::string& thread);
[[nodiscard]] bool is_operation_file_name(const std::string& name) noexcept;

/// `thread` is a thread's name.
[[nodiscard]] OperationHeaderBytes encode_operation_header(const std::string& thread) noexcept;
/// Absent where the magic or the checksum does not fit.
[[nodiscard]] std::optional<OperationHeader> decode_operation_header(
    const OperationHeaderBytes& bytes) noexcept;

}  // namespace pgfiredrill
