#pragma once

/// The helper: the one program of ours that runs as root on the targets. It takes a verb and arguments that
/// it checks itself, keeps what it has broken in a record on the host, and undoes it by a timer of the host's
/// own systemd if nobody asks for it in time. Its text is `helper/pgfiredrill-helper.sh`.
///
///     arm ID SECONDS VERB ARGUMENT...   records what will be done and how it is undone, and starts the timer
///     inject ID HOLD_SECONDS            does it, if the timer is active with at least HOLD_SECONDS + 10 left
///     check ID                          says whether it is in force (below)
///     revert ID                         undoes it; again does no harm; stops the timer
///     forget ID                         removes the record of what is reverted
///     pending                           every record of the host: `ID STATE VERB ARGUMENT...`, a line each
///
/// An ID is a run's, a dot and a number. What lasts over a reboot (masks, filled files, moved files) has its
/// revert in a unit on disk, what a reboot ends (stopped processes, packet filters, freezes) in a transient
/// one.

#include <chrono>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/host.h"

namespace pgfiredrill::fault {

inline constexpr const char* kInstalledHelper = "/usr/local/sbin/pgfiredrill-helper";
inline constexpr const char* kLaidHelper = "/run/pgfiredrill/helper";

/// What the helper exits with, beside 0; the reason stands on stderr.
enum HelperExit : int {
  kHelperRefused = 30,  ///< a verb or an argument that it does not take
  kNoRecord = 31,       ///< no such ID
  kNotArmed = 32,       ///< the revert's timer is not active or has too little time left: nothing was done
  kNotTaken = 33,       ///< tried, and it did not come into force
  kStillInForce = 34,   ///< tried to undo it, and it is still in force
  kUnsuitable = 35,  ///< this host is not fit for it (a disk that carries more than the data): nothing done
  kHelperNotRoot = 36,
};

/// What stands of one ID on a host.
struct HelperState {
  /// "armed", "injected", "reverted" (asked for), "expired" (reverted by the timer), "absent".
  std::string state;
  bool in_force = false;
  std::string sentence;  ///< what it saw: "process 4711 (postgres) is stopped"
};

/// How the helper is reached on the hosts of a run. Blocking; worker threads; thread-safe as far as hosts
/// are.
class Helper {
 public:
  /// `laid`: its text is laid under /run for this run, and again where a reboot has taken it away; else the
  /// one that was installed is called, which must be of this release.
  explicit Helper(bool laid) : laid_{laid} {}

  /// The text of the helper's program.
  [[nodiscard]] static const char* text() noexcept;
  /// The helper there is ready and of this release. Fails `missing` or `malformed` with what to do.
  [[nodiscard]] Result<void> prepare(Host& host) const;
  /// The command as it is sent, also for --dry-run.
  [[nodiscard]] RemoteCommand command(std::vector<std::string> words) const;
  /// Runs it; any exit status is a result.
  [[nodiscard]] Result<RemoteResult> run(Host& host, std::vector<std::string> words) const;
  /// Like `run`, and any exit status but 0 is a failure that `what` and stderr explain.
  [[nodiscard]] Result<std::string> call(Host& host, const std::string& what,
                                         std::vector<std::string> words) const;

  [[nodiscard]] Result<HelperState> check(Host& host, const std::string& id) const;
  /// Every record that stands on the host, in the order in which they were armed.
  struct Pending {
    std::string id;
    std::string state;
    std::string words;  ///< verb and arguments, for people
  };
  [[nodiscard]] Result<std::vector<Pending>> pending(Host& host) const;

 private:
  [[nodiscard]] Result<void> lay(Host& host) const;

  bool laid_;
};

}  // namespace pgfiredrill::fault
