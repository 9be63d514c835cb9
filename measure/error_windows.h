#pragma once

/// Errors of a path by class and layer: how many, first and last. A streaming fold.

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "measure/results.h"
#include "record/error_class.h"

namespace pgfiredrill {

class ErrorWindows {
 public:
  void on(ErrorClass error, Layer layer, nanoseconds due);
  /// In the order of first sight, `first_s` and `last_s` from `origin` on.
  [[nodiscard]] std::vector<ErrorWindow> finish(nanoseconds origin) const;

 private:
  struct Seen {
    std::size_t count = 0;
    nanoseconds first{0};
    nanoseconds last{0};
  };
  std::map<std::pair<ErrorClass, Layer>, Seen> seen_;
};

}  // namespace pgfiredrill
