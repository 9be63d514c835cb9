#pragma once

/// The lock on every host of a cluster: one run at a time, whoever started it and from where.
///
/// Held by an owner until an instant of the host's own clock; a run that lives renews it. Also keeps the
/// run's record on the hosts (`armed/<run>`), which outlives the lock.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/host.h"
#include "fault-injectors/journal.h"

namespace pgfiredrill::fault {

inline constexpr std::chrono::seconds kLockTime{60};
inline constexpr std::chrono::seconds kLockRenewal{10};
inline constexpr const char* kHostFolder = "/var/lib/pgfiredrill";

/// What stands on one host.
struct HostState {
  std::string host;
  std::string lock_run;  ///< empty: no lock
  std::string lock_owner;
  std::chrono::seconds lock_left{0};  ///< until it expires; negative: expired that long ago
  std::vector<OpenRun> armed;
  std::string broken_by;  ///< the run that last injected a fault; empty: none is known
  std::chrono::seconds broken_ago{0};
};

/// Blocking; worker threads; thread-safe as far as the hosts are. All commands are described by
/// `lock_commands` for --dry-run.
class HostLocks {
 public:
  /// `folder` is another only in tests.
  HostLocks(std::vector<Host*> hosts, std::string run_id, std::string owner,
            std::string folder = kHostFolder);

  [[nodiscard]] std::vector<std::string> lock_commands() const;
  /// On every host at the same time, or on none: what was taken is given back where one refuses. Fails
  /// `denied` naming the host, owner and time left where somebody else holds it, or a run that has not
  /// expired or been healed is armed there.
  [[nodiscard]] Result<void> take();
  /// For healing: like `take`, but records of other runs are no obstacle, and hosts that do not answer are
  /// passed over (`passed_over`): a dead host must not keep the rest from being undone.
  [[nodiscard]] Result<void> take_to_heal(std::vector<Failure>& passed_over);
  /// Hosts that do not answer are named in the failure; the others are renewed. `denied` where the lock is
  /// not ours any more.
  [[nodiscard]] Result<void> renew();
  /// Only where it is still ours.
  [[nodiscard]] Result<void> release();
  /// Writes the run's record on every host that answers; fails where none did, and `denied` where the lock is
  /// not ours any more.
  [[nodiscard]] Result<void> write_armed(const std::vector<Debt>& debts);
  /// Leaves on every host, for good, that our run injects a fault now: the next run asks for it. `denied`
  /// where the lock is not ours any more.
  [[nodiscard]] Result<void> stamp();
  /// Removes the record of `run_id` (ours or one that was healed) from every host; fails with those that did
  /// not answer.
  [[nodiscard]] Result<void> remove_armed(const std::string& run_id);
  /// Removes an expired or healed lock of `run_id`, whoever owns it; another run's stays.
  [[nodiscard]] Result<void> break_lock(const std::string& run_id);
  /// What stands on each host that answers; the others' failures go to `not_reached`.
  [[nodiscard]] std::vector<HostState> look(std::vector<Failure>& not_reached);

 private:
  struct Reply;
  using Replies = std::vector<Reply>;

  [[nodiscard]] static std::vector<Failure> failures_of(const Replies& replies, const std::string& what);
  [[nodiscard]] Replies on_every_host(const RemoteCommand& command) const;
  [[nodiscard]] Result<void> on_all(const RemoteCommand& command, const std::string& what) const;
  [[nodiscard]] Result<void> take_each(const RemoteCommand& command, std::vector<Failure>* passed_over);
  [[nodiscard]] RemoteCommand take_command(bool heal) const;
  [[nodiscard]] RemoteCommand renew_command() const;
  [[nodiscard]] RemoteCommand release_command() const;
  [[nodiscard]] RemoteCommand stamp_command() const;
  [[nodiscard]] RemoteCommand armed_command(const std::vector<Debt>& debts) const;

  std::vector<Host*> hosts_;
  std::string run_id_;
  std::string owner_;
  std::string folder_;
};

/// Inventory names of the hosts that a lock on the cluster is taken on: all that run a part of it.
[[nodiscard]] std::vector<std::string> hosts_to_lock(const ClusterDescription& cluster);

/// "user@machine pid N boot ID" of this process. The ID also tells apart containers of one boot.
[[nodiscard]] std::string this_owner();
/// That owner is a process of this machine and boot, and is gone.
[[nodiscard]] bool owner_is_dead_here(const std::string& owner);

}  // namespace pgfiredrill::fault
