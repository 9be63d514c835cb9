#include "measure/due_order.h"

namespace pgfiredrill {

DueOrder::DueOrder(nanoseconds latest_arrival) : latest_arrival_{latest_arrival} {}

void DueOrder::add(const Operation& operation) {
  if (last_taken_ && operation.due < last_taken_->due) return;
  waiting_.insert_or_assign({operation.due, operation.number}, operation);
}

std::vector<Operation> DueOrder::take(nanoseconds now) {
  std::vector<Operation> taken;
  while (!waiting_.empty() && is_next(waiting_.begin()->second, now)) {
    last_taken_ = waiting_.begin()->second;
    taken.push_back(*last_taken_);
    waiting_.erase(waiting_.begin());
  }
  return taken;
}

bool DueOrder::is_next(const Operation& operation, nanoseconds now) const {
  if (last_taken_ && operation.number == last_taken_->number + 1) return true;
  return operation.due <= now - latest_arrival_;
}

void DueOrder::skip_waiting() {
  if (waiting_.empty()) return;
  last_taken_ = waiting_.rbegin()->second;
  waiting_.clear();
}

}  // namespace pgfiredrill
