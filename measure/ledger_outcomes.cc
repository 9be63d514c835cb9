#include "measure/ledger_outcomes.h"

#include <algorithm>

namespace pgfiredrill {

namespace {

WriteState state_of(const Operation& operation) {
  if (operation.kind == RecordKind::sent) return WriteState::sent;
  switch (operation.outcome) {
    case Outcome::acknowledged:
      return WriteState::acknowledged;
    case Outcome::weak:
      return WriteState::weak;
    case Outcome::in_doubt:
      return WriteState::in_doubt;
    case Outcome::failed:
      return WriteState::failed;
  }
  return WriteState::in_doubt;
}

}  // namespace

void LedgerOutcomes::on(const Operation& operation) {
  if (operation.dropped && !operation.acknowledged()) {
    ++never_sent_;
    return;
  }
  const WriteState state = state_of(operation);
  WritePage& page = pages_.with(operation.stream, operation.number);
  page[word_of(operation.number)].raise(bit_of(operation.number), state);
  if (state != WriteState::acknowledged || operation.timeline == 0) return;
  std::uint64_t& highest = highest_lsn_[operation.timeline];
  highest = std::max(highest, operation.lsn);
}

}  // namespace pgfiredrill
