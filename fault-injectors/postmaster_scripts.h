#pragma once

/// The fixed scripts (POSIX sh) that find, kill and look for one postmaster on its host.

#include <string>

namespace pgfiredrill::fault {

enum PostmasterScriptExit : int {
  kStillThere = 9,     ///< it was sent SIGKILL and does not go (a frozen disk), or: it is there
  kAlreadyGone = 10,   ///< no such process, or none that started then
  kNotPostgres = 11,   ///< the process is not a postmaster of that data directory
  kNotPermitted = 12,  ///< to look at it or to kill it
  kNoPidFile = 13      ///< there is no postmaster.pid that names a process
};

/// DATA_DIRECTORY: prints `pid PID start TICKS exe PATH` of the postmaster that runs there.
[[nodiscard]] std::string find_postmaster_script();
/// DATA_DIRECTORY PID TICKS: kills that process if it is still that postmaster, and waits until it is gone.
[[nodiscard]] std::string kill_postmaster_script();
/// PID TICKS: 0 where no process with that number started then; else kStillThere.
[[nodiscard]] std::string postmaster_gone_script();

}  // namespace pgfiredrill::fault
