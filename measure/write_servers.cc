#include "measure/write_servers.h"

#include <algorithm>

namespace pgfiredrill {

void WriteServers::on(const Operation& operation) {
  const bool answered = operation.kind == RecordKind::done && operation.acknowledged();
  if (!answered || !operation.write || operation.node == 0 || !operation.done_after) return;
  const nanoseconds done = operation.due + *operation.done_after;
  if (!injected_ || done < *injected_) before_ = operation.node;
  if (done >= last_done_) {
    last_done_ = done;
    last_ = operation.node;
  }
  if (injected_ && done >= *injected_ && before_ != 0 && operation.node != before_) {
    new_one_up_at_ = std::min(new_one_up_at_.value_or(done), done);
  }
}

}  // namespace pgfiredrill
