#pragma once

/// Undoes what runs have left behind, by what the journal here and the records on the hosts tell: from any
/// machine, again and again until nothing is left.

#include <functional>
#include <string>
#include <vector>

#include "fault-injectors/fault.h"
#include "fault-injectors/host_lock.h"
#include "fault-injectors/journal.h"

namespace pgfiredrill::fault {

struct HealReport {
  std::vector<std::string> done;  ///< what was undone, a sentence each; empty: there was nothing
  std::vector<std::string> left;  ///< what is still to do and how by hand
};

/// All must outlive the call.
struct HealSeams {
  Tools tools;
  /// Null where there is none on this machine (its path cannot be written): then by the hosts alone.
  Journal* journal = nullptr;
  std::vector<Host*> hosts;  ///< those of `hosts_to_lock`
  /// Drops database and role of ours if they are there; another room knows how.
  std::function<Result<void>()> drop_traffic;
  std::function<void(const std::string&)> say;  ///< progress, a sentence each
  std::function<bool(const std::string& owner)> owner_is_dead = owner_is_dead_here;
  std::string host_folder = kHostFolder;
};

/// Fails `denied`, with nothing done, while a run that holds the lock is alive or may be: it is watched for
/// as long as a lock lasts. Otherwise takes the lock itself, undoes what is owed from the last debt to the
/// first, and removes the records. What could not be done is in the report's `left`; its records stay.
/// `run_id` is this healing's own: any valid id that no run has. May be killed at any point and run again.
[[nodiscard]] Result<HealReport> heal(const HealSeams& seams, const std::string& run_id);

}  // namespace pgfiredrill::fault
