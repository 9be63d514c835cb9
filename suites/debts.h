#pragma once

/// What a run owes the cluster, kept in the journal here and on every host at the same time.

#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "fault-injectors/host_lock.h"
#include "fault-injectors/journal.h"

namespace pgfiredrill {

/// Blocking; worker threads, one at a time.
class Debts {
 public:
  /// Both must outlive it.
  Debts(fault::Journal& journal, fault::HostLocks& locks, std::string run_id, std::string owner);

  /// Locks every host and opens the journal; nothing is left where one of both fails.
  [[nodiscard]] Result<void> begin();
  /// Written down before the thing is done.
  [[nodiscard]] Result<void> owe(const fault::Debt& debt);
  /// Written off after it was undone.
  [[nodiscard]] Result<void> settle(const fault::Debt& debt);
  [[nodiscard]] Result<void> renew() { return locks_.renew(); }
  /// With nothing owed any more: removes what stands on the hosts, closes the journal. With debts left they
  /// stay where they are, for `heal`, and only the lock is given back.
  [[nodiscard]] Result<void> end();

  [[nodiscard]] const std::vector<fault::Debt>& open() const noexcept { return open_; }

 private:
  fault::Journal& journal_;
  fault::HostLocks& locks_;
  std::string run_id_;
  std::string owner_;
  std::vector<fault::Debt> open_;
};

}  // namespace pgfiredrill
