#pragma once

/// What a server held, as bits to be laid against a page of the ledger's outcomes.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/number_pages.h"
#include "record/readback.h"

namespace pgfiredrill {

class ReadbackPages {
 public:
  /// Runs in any order; where some overlap, their copies add up.
  explicit ReadbackPages(std::vector<NumberRun> runs);

  /// Turns to the page that begins with number `first`. Pages must be asked for in ascending order.
  void turn_to(std::uint16_t stream, std::uint64_t first);

  [[nodiscard]] const NumberBits& present() const noexcept { return present_; }
  [[nodiscard]] const NumberBits& more_than_once() const noexcept { return more_than_once_; }

 private:
  void mark(std::uint64_t from, std::uint64_t to, bool several);

  std::vector<NumberRun> runs_;  ///< sorted by their first number
  std::size_t next_ = 0;
  std::vector<NumberRun> reaching_;  ///< those that have begun and not ended before the page
  NumberBits present_{};
  NumberBits more_than_once_{};
};

}  // namespace pgfiredrill
