#include "measure/ledger_outcomes.h"

#include <algorithm>

namespace pgfiredrill {

namespace {

constexpr unsigned kStateBits = 3;
constexpr std::uint64_t kStateMask = (1u << kStateBits) - 1;

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

LedgerWrite write_of(std::uint16_t stream, std::uint64_t record) {
  const auto state = static_cast<WriteState>(record & kStateMask);
  return {stream, record >> kStateBits, state == WriteState::sent ? WriteState::in_doubt : state};
}

}  // namespace

void LedgerOutcomes::on(const Operation& operation) {
  if (operation.dropped && !operation.acknowledged()) {
    ++never_sent_;
    return;
  }
  const WriteState state = state_of(operation);
  streams_[operation.stream].push_back(operation.number << kStateBits | static_cast<std::uint64_t>(state));
  if (state != WriteState::acknowledged || operation.timeline == 0) return;
  std::uint64_t& highest = highest_lsn_[operation.timeline];
  highest = std::max(highest, operation.lsn);
}

std::vector<LedgerWrite> LedgerOutcomes::finish() const {
  std::vector<LedgerWrite> writes;
  for (const auto& [stream, records] : streams_) {
    std::vector<std::uint64_t> sorted = records;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const bool last_of_number =
          i + 1 == sorted.size() || sorted[i + 1] >> kStateBits != sorted[i] >> kStateBits;
      if (last_of_number) writes.push_back(write_of(stream, sorted[i]));
    }
  }
  return writes;
}

}  // namespace pgfiredrill
