#pragma once

/// What became of each uniquely numbered write: a streaming fold over the operations of ledger paths, in any
/// order. Three bits for each number, laid out so that 64 numbers are compared at a time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "record/number_pages.h"
#include "record/operation.h"

namespace pgfiredrill {

/// In the order of what is believed where a record says two things of one number; `sent` without an outcome
/// is in doubt.
enum class WriteState : std::uint8_t { none, sent, failed, in_doubt, weak, acknowledged };

/// The states of 64 numbers, one bit plane for each binary digit of `WriteState`.
class WriteStates {
 public:
  void raise(std::uint64_t bit, WriteState state) noexcept {
    if (static_cast<unsigned>(state) <= at(bit)) return;
    const auto digits = static_cast<unsigned>(state);
    ones_ = (ones_ & ~bit) | ((digits & 1) != 0 ? bit : 0);
    twos_ = (twos_ & ~bit) | ((digits & 2) != 0 ? bit : 0);
    fours_ = (fours_ & ~bit) | ((digits & 4) != 0 ? bit : 0);
  }

  [[nodiscard]] std::uint64_t acknowledged() const noexcept { return fours_ & ones_; }
  [[nodiscard]] std::uint64_t weak() const noexcept { return fours_ & ~ones_; }
  [[nodiscard]] std::uint64_t in_doubt() const noexcept { return ones_ & ~fours_; }
  [[nodiscard]] std::uint64_t failed() const noexcept { return twos_ & ~ones_; }
  [[nodiscard]] std::uint64_t all() const noexcept { return ones_ | twos_ | fours_; }

 private:
  [[nodiscard]] unsigned at(std::uint64_t bit) const noexcept {
    return ((ones_ & bit) != 0 ? 1U : 0U) | ((twos_ & bit) != 0 ? 2U : 0U) | ((fours_ & bit) != 0 ? 4U : 0U);
  }

  std::uint64_t ones_ = 0;
  std::uint64_t twos_ = 0;
  std::uint64_t fours_ = 0;
};

using WritePage = std::array<WriteStates, kWordsInPage>;

class LedgerOutcomes {
 public:
  void on(const Operation& operation);

  [[nodiscard]] const NumberPages<WritePage>& pages() const noexcept { return pages_; }
  /// Never sent, so that no number was used: certainly not there.
  [[nodiscard]] std::size_t never_sent() const noexcept { return never_sent_; }
  /// Timeline → highest position returned by a fully acknowledged write on it.
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& highest_lsn() const noexcept {
    return highest_lsn_;
  }

 private:
  NumberPages<WritePage> pages_;
  std::size_t never_sent_ = 0;
  std::map<std::uint32_t, std::uint64_t> highest_lsn_;
};

}  // namespace pgfiredrill
