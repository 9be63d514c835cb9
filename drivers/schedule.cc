#include "drivers/schedule.h"

#include <algorithm>
#include <cmath>

namespace pgfiredrill {

Schedule::Schedule(nanoseconds first, double rate_hz, double write_rate_hz)
    : first_{first},
      rate_hz_{rate_hz},
      write_share_{rate_hz > 0 ? std::clamp(write_rate_hz / rate_hz, 0.0, 1.0) : 0.0} {}

nanoseconds Schedule::due_at(std::uint64_t number) const {
  // From the first one each time: adding up rounded intervals would drift.
  return first_ + nanoseconds{std::llround(static_cast<double>(number) * 1e9 / rate_hz_)};
}

bool Schedule::writes(std::uint64_t number) const {
  const auto written_before = [&](std::uint64_t n) {
    return std::floor(static_cast<double>(n) * write_share_);
  };
  return written_before(number + 1) > written_before(number);
}

std::optional<DueOperation> Schedule::take_due(nanoseconds now) {
  if (!(rate_hz_ > 0)) return std::nullopt;
  const DueOperation next{.number = next_, .at = due_at(next_), .write = writes(next_)};
  if (next.at > now) return std::nullopt;
  ++next_;
  return next;
}

}  // namespace pgfiredrill
