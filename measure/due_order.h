#pragma once

/// Puts the operations of one path, which come in the order in which they ended, into the order of due time.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "record/operation.h"

namespace pgfiredrill {

class DueOrder {
 public:
  /// Whatever was due this long ago has come.
  explicit DueOrder(nanoseconds latest_arrival);

  void add(const Operation& operation);
  /// What nothing can come before any more, in the order of due time: the next number of the path, or what
  /// was due so long ago that a missing number never comes.
  [[nodiscard]] std::vector<Operation> take(nanoseconds now);
  /// What has come so far is passed over.
  void skip_waiting();

 private:
  [[nodiscard]] bool is_next(const Operation& operation, nanoseconds now) const;

  nanoseconds latest_arrival_;
  std::map<std::pair<nanoseconds, std::uint64_t>, Operation> waiting_;
  std::optional<Operation> last_taken_;
};

}  // namespace pgfiredrill
