#include "suites/debts.h"

#include <algorithm>
#include <utility>

namespace pgfiredrill {

Debts::Debts(fault::Journal& journal, fault::HostLocks& locks, std::string run_id, std::string owner)
    : journal_{journal}, locks_{locks}, run_id_{std::move(run_id)}, owner_{std::move(owner)} {}

Result<void> Debts::begin() {
  if (auto taken = locks_.take(); !taken) return taken;
  if (auto begun = journal_.begin(run_id_, owner_); !begun) {
    (void)locks_.release();
    return begun;
  }
  return {};
}

Result<void> Debts::owe(const fault::Debt& debt) {
  if (std::find(open_.begin(), open_.end(), debt) != open_.end()) return {};
  if (auto written = journal_.owe(run_id_, debt); !written) return written;
  open_.push_back(debt);
  return locks_.write_armed(open_);
}

Result<void> Debts::settle(const fault::Debt& debt) {
  const auto found = std::find(open_.begin(), open_.end(), debt);
  if (found == open_.end()) return {};
  open_.erase(found);
  auto journalled = journal_.settle(run_id_, debt);
  // What the hosts tell may be behind: undoing a thing twice does no harm.
  if (auto armed = locks_.write_armed(open_); !armed) return armed;
  return journalled;
}

Result<void> Debts::end() {
  if (!open_.empty()) return locks_.release();
  Result<void> first;
  for (auto& step : {locks_.remove_armed(run_id_), locks_.release(), journal_.end(run_id_)}) {
    if (first && !step) first = step;
  }
  return first;
}

}  // namespace pgfiredrill
