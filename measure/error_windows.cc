#include "measure/error_windows.h"

#include <algorithm>

#include "base/clock.h"

namespace pgfiredrill {

void ErrorWindows::on(ErrorClass error, Layer layer, nanoseconds due) {
  Seen& seen = seen_[{error, layer}];
  seen.first = seen.count == 0 ? due : std::min(seen.first, due);
  seen.last = seen.count == 0 ? due : std::max(seen.last, due);
  ++seen.count;
}

std::vector<ErrorWindow> ErrorWindows::finish(nanoseconds origin) const {
  std::vector<ErrorWindow> windows;
  for (const auto& [key, seen] : seen_) {
    windows.push_back({.error = key.first,
                       .layer = key.second,
                       .count = seen.count,
                       .first_s = to_seconds(seen.first - origin),
                       .last_s = to_seconds(seen.last - origin)});
  }
  std::stable_sort(windows.begin(), windows.end(),
                   [](const ErrorWindow& a, const ErrorWindow& b) { return a.first_s < b.first_s; });
  return windows;
}

}  // namespace pgfiredrill
