#pragma once

/// The lock on every host of a cluster: one run at a time, whoever started it and from where.
///
/// Held by an owner until an instant of the host's own clock; a run that lives renews it. Also keeps the
/// run's record on the hosts (`armed/<run>`), which outlives the lock.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/host.h"
#include "fault-injectors/journal.h"

namespace pgfiredrill::fault {

inline constexpr std::chrono::seconds kLockTime{60};
inline constexpr std::chrono::seconds kLockRenewal{10};

/// What stands on one host.
struct HostState {
  std::string host;
  std::string lock_run;  ///< empty: no lock
  std::string lock_owner;
  std::chrono::seconds lock_left{0};  ///< until it expires; negative: expired that long ago
  std::vector<OpenRun> armed;
};

/// Blocking; worker threads; thread-safe as far as the hosts are. All commands are described by
/// `lock_commands` for --dry-run.
class HostLocks {
 public:
  HostLocks(std::vector<Host*> hosts, std::string run_id, std::string owner);

  [[nodiscard]] std::vector<std::string> lock_commands() const;
  /// On every host at the same time, or on none: what was taken is given back where one refuses. Fails
  /// `denied` naming the host, owner and time left where somebody else holds it, or a run that has not
  /// expired or been healed is armed there.
  [[nodiscard]] Result<void> take();
  /// Hosts that do not answer are named in the failure; the others are renewed.
  [[nodiscard]] Result<void> renew();
  /// Only where it is still ours.
  [[nodiscard]] Result<void> release();
  /// Writes the run's record on every host that answers; fails where none did.
  [[nodiscard]] Result<void> write_armed(const std::vector<Debt>& debts);
  /// Removes the record of `run_id` (ours or one that was healed) from every host; fails with those that did
  /// not answer.
  [[nodiscard]] Result<void> remove_armed(const std::string& run_id);
  /// Removes an expired or healed lock of `run_id`.
  [[nodiscard]] Result<void> break_lock(const std::string& run_id);
  /// What stands on each host that answers; the others' failures go to `not_reached`.
  [[nodiscard]] std::vector<HostState> look(std::vector<Failure>& not_reached);

 private:
  std::vector<Host*> hosts_;
  std::string run_id_;
  std::string owner_;
};

/// "user@machine pid N boot ID" of this process.
[[nodiscard]] std::string this_owner();
/// That owner is a process of this machine and boot, and is gone.
[[nodiscard]] bool owner_is_dead_here(const std::string& owner);

}  // namespace pgfiredrill::fault
