#pragma once

/// One operation of our traffic as the run record holds it, and its form on disk.
///
/// A write is two records: `sent` before the first byte leaves, `done` when its outcome is known; a `sent`
/// without a `done` (the program was killed) is in doubt. A read writes only `done`. What was never sent
/// (dropped, no session) writes only `done`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/outcome.h"
#include "record/error_class.h"

namespace pgfiredrill {

enum class RecordKind : std::uint8_t { sent = 1, done = 2 };

struct Operation {
  RecordKind kind = RecordKind::done;
  Outcome outcome = Outcome::failed;
  Layer layer = Layer::none;
  bool write = false;        ///< it would write where the server is not in recovery
  bool dropped = false;      ///< its deadline passed before it was sent
  bool late = false;         ///< it ended well or badly, but after its deadline from the due time
  bool in_recovery = false;  ///< the server that answered was in recovery
  bool at_login = false;     ///< it ended while logging in
  std::uint16_t path = 0;    ///< index into the manifest's path table
  std::uint16_t node = 0;    ///< number of a `server_seen` event: which postmaster answered; 0: nobody
  /// Ledger: which stream and which number in it, never used twice in a run. Canaries: stream 0, and the
  /// operation's number on its path.
  std::uint16_t stream = 0;
  std::uint64_t number = 0;  ///< below 2^48
  nanoseconds due{0};        ///< monotonic clock
  /// From the due time, microsecond resolution, at most 71 minutes; absent where it did not come to that.
  std::optional<nanoseconds> sent_after;
  std::optional<nanoseconds> done_after;
  std::uint64_t lsn = 0;       ///< as returned by the statement: before its own commit record; 0: unknown
  std::uint32_t timeline = 0;  ///< 0: unknown
  std::uint32_t backend_pid = 0;
  /// The number of the newest heartbeat that the server showed to this operation; 0: none, or not asked.
  std::uint32_t heartbeat = 0;
  ErrorClass error;

  /// Weak acknowledgements count as successes of the path; durability keeps them apart.
  [[nodiscard]] bool acknowledged() const noexcept {
    return outcome == Outcome::acknowledged || outcome == Outcome::weak;
  }
  [[nodiscard]] bool operator==(const Operation&) const = default;
};

inline constexpr std::size_t kOperationBytes = 60;
using OperationBytes = std::array<std::byte, kOperationBytes>;

/// Little-endian, CRC32C of all before it last. Durations are rounded to microseconds and saturate.
[[nodiscard]] OperationBytes encode(const Operation& operation) noexcept;
/// Absent where the checksum does not fit or a field holds no known value.
[[nodiscard]] std::optional<Operation> decode(const OperationBytes& bytes) noexcept;
/// The due time alone, as cheaply as it can be had: absent where `decode` gives nothing.
[[nodiscard]] std::optional<nanoseconds> decode_due(const OperationBytes& bytes) noexcept;

}  // namespace pgfiredrill
