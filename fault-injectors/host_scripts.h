#pragma once

/// The fixed scripts (POSIX sh) that write and read /var/lib/pgfiredrill on a host. Values come as arguments
/// and are never part of a script's text.

#include <string>
#include <vector>

#include "base/host.h"

namespace pgfiredrill::fault {

/// What the scripts exit with, beside 0.
enum HostScriptExit : int {
  kHeld = 10,       ///< somebody else's lock; stdout: `held RUN SECONDS_LEFT OWNER`
  kArmed = 11,      ///< another run's record; stdout: `armed RUN`
  kLost = 12,       ///< the lock is not ours (any more)
  kUnsafe = 20,     ///< the folder is not root's alone, or cannot be made
  kBusy = 21,       ///< another of these scripts runs there and does not end
  kUnreadable = 22  ///< the lock's file is none of ours
};

// Arguments after the folder:
[[nodiscard]] std::string take_lock_script();     ///< RUN OWNER SECONDS HEAL (yes or no)
[[nodiscard]] std::string renew_lock_script();    ///< RUN OWNER SECONDS
[[nodiscard]] std::string release_lock_script();  ///< RUN OWNER ("": whoever owns that run's)
[[nodiscard]] std::string write_armed_script();   ///< RUN OWNER TEXT
[[nodiscard]] std::string remove_armed_script();  ///< RUN
[[nodiscard]] std::string stamp_script();         ///< RUN OWNER
[[nodiscard]] std::string look_script();          ///< nothing; prints frames, see host_state.h

/// `sh -c SCRIPT pgfiredrill ARGUMENTS...`, as root.
[[nodiscard]] RemoteCommand host_script(const std::string& script, std::vector<std::string> arguments);

/// A command as a person would type it on the host: every word quoted where it must be.
[[nodiscard]] std::string typed(const RemoteCommand& command);

}  // namespace pgfiredrill::fault
