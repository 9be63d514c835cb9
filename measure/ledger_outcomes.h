#pragma once

/// What became of each uniquely numbered write: a streaming fold over the operations of ledger paths, in any
/// order. Eight bytes for each record.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "record/operation.h"

namespace pgfiredrill {

/// In the order of what is believed where a record says two things of one number.
enum class WriteState : std::uint8_t { sent, failed, in_doubt, weak, acknowledged };
inline constexpr std::size_t kWriteStates = 5;

struct LedgerWrite {
  std::uint16_t stream = 0;
  std::uint64_t number = 0;
  WriteState state = WriteState::sent;  ///< never `sent` in a result: without an outcome it is in doubt
};

class LedgerOutcomes {
 public:
  void on(const Operation& operation);

  /// Each number once, sorted by stream and number.
  [[nodiscard]] std::vector<LedgerWrite> finish() const;
  /// Never sent, so that no number was used: certainly not there.
  [[nodiscard]] std::size_t never_sent() const noexcept { return never_sent_; }
  /// Timeline → highest position returned by a fully acknowledged write on it.
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& highest_lsn() const noexcept {
    return highest_lsn_;
  }

 private:
  std::map<std::uint16_t, std::vector<std::uint64_t>> streams_;  ///< number × 8 + state
  std::size_t never_sent_ = 0;
  std::map<std::uint32_t, std::uint64_t> highest_lsn_;
};

}  // namespace pgfiredrill
