#pragma once

/// Finds numbers, asked for in ascending order, in what a server held.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/readback.h"

namespace pgfiredrill {

class ReadbackLookup {
 public:
  /// Runs in any order; where some overlap, their copies add up.
  explicit ReadbackLookup(std::vector<NumberRun> runs);

  /// How often the number is there. Later calls must not ask for an earlier number.
  [[nodiscard]] std::size_t copies(std::uint16_t stream, std::uint64_t number);

 private:
  std::vector<NumberRun> runs_;  ///< sorted by their first number
  std::size_t next_ = 0;
  std::vector<NumberRun> covering_;
};

}  // namespace pgfiredrill
