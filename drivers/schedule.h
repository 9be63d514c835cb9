#pragma once

/// When operations are due: on a fixed grid, whatever became of the last one. Pure.

#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace pgfiredrill {

/// One operation as the grid says it.
struct DueOperation {
  std::uint64_t number = 0;
  nanoseconds at{0};
  bool write = false;
};

class Schedule {
 public:
  /// Operation k is due at `first` + k ÷ `rate_hz`; of them `write_rate_hz` a second write, evenly spread. A
  /// rate of 0 or less: nothing is ever due.
  Schedule(nanoseconds first, double rate_hz, double write_rate_hz);

  /// The next operation if it is due by `now`; each once, in order.
  [[nodiscard]] std::optional<DueOperation> take_due(nanoseconds now);

 private:
  [[nodiscard]] nanoseconds due_at(std::uint64_t number) const;
  [[nodiscard]] bool writes(std::uint64_t number) const;

  nanoseconds first_;
  double rate_hz_;
  double write_share_;
  std::uint64_t next_ = 0;
};

}  // namespace pgfiredrill
