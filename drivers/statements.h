#pragma once

/// What traffic asks, and what the answers say. Pure.

#include <cstdint>
#include <string>

#include "cluster/session_evidence.h"
#include "cluster/session_exchange.h"

namespace pgfiredrill {

/// Rows that the writes of one lane take turns on, so that a write does not wait for the lock of an earlier
/// one of its own lane that hangs.
inline constexpr int kRowsPerLane = 8;

/// `row` is of the table of canaries. Where `write` is set and the server is not in recovery, it changes it.
[[nodiscard]] Statement canary_statement(std::uint16_t lane, std::uint64_t number, bool write);
inline constexpr const char* kCanaryTag = "SELECT 1";

[[nodiscard]] Statement ledger_statement(std::uint16_t stream, std::uint64_t number);
/// Makes one of those the statement of another write: its text is long, and the same for all.
void renumber_ledger_statement(Statement& statement, std::uint16_t stream, std::uint64_t number);
inline constexpr const char* kLedgerTag = "INSERT 0 1";

/// The row that reads on replicas look for: shows `number` from then on, unless a later one is there already.
[[nodiscard]] Statement heartbeat_statement(std::uint64_t number);
inline constexpr const char* kHeartbeatTag = "UPDATE 1";

/// What all return: who answered, and under which promises.
struct Answer {
  bool whole = false;  ///< one row of the expected form came
  bool in_recovery = false;
  std::int64_t postmaster_start = 0;  ///< microseconds since 1970
  std::uint32_t backend_pid = 0;
  std::uint64_t lsn = 0;
  std::uint32_t timeline = 0;    ///< 0 in recovery: no function tells it there in time
  bool standby_named = false;    ///< synchronous_standby_names was not empty
  bool waits_for_flush = false;  ///< synchronous_commit was on or above
  std::uint32_t heartbeat = 0;   ///< the newest that the server showed; 0: none, or the statement asks none
};

[[nodiscard]] Answer parse_answer(const StatementEvidence& evidence);

/// The columns that `parse_answer` reads, for a server that is not in recovery.
[[nodiscard]] const char* primary_columns() noexcept;
/// The same for one that is, where half of those functions fail.
[[nodiscard]] const char* standby_columns() noexcept;

}  // namespace pgfiredrill
