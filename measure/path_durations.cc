#include "measure/path_durations.h"

#include <algorithm>

namespace pgfiredrill {

PathDurations::PathDurations(nanoseconds from, nanoseconds to, nanoseconds interval)
    : from_{from}, to_{to}, interval_{interval}, last_success_{from} {}

void PathDurations::on(const TimedOutcome& operation) {
  if (operation.due >= to_) return;
  if (operation.due < from_) {
    if (operation.success) last_success_ = operation.due;
    return;
  }
  if (last_) close(totals_, *last_, operation.due);
  last_ = operation;
  ++totals_.due;
  if (operation.success) on_success(operation.due);
}

void PathDurations::on_success(nanoseconds due) {
  ++totals_.successes;
  totals_.longest_gap = std::max(totals_.longest_gap, due - last_success_);
  last_success_ = due;
}

void PathDurations::close(Totals& totals, const TimedOutcome& operation, nanoseconds next_due) {
  const nanoseconds span = std::max(next_due - operation.due, nanoseconds{0});
  if (operation.error) totals.error += span;
  if (operation.stall) totals.stall += span;
}

PathDurations::Totals PathDurations::finish() const {
  Totals totals = totals_;
  if (last_) close(totals, *last_, std::min(last_->due + interval_, to_));
  const nanoseconds open_gap = to_ - last_success_;
  // After a last operation that succeeded, only the end of traffic is near.
  if (last_ && !last_->success && open_gap > totals.longest_gap) {
    totals.longest_gap = open_gap;
    totals.gap_is_open = true;
  }
  return totals;
}

}  // namespace pgfiredrill
