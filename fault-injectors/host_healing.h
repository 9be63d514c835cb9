#pragma once

/// Undoing what the helper's records on the hosts say is broken, whoever broke it and from where.

#include <string>
#include <vector>

#include "base/failure.h"
#include "base/host.h"
#include "fault-injectors/helper.h"

namespace pgfiredrill::fault {

struct HostHealing {
  std::vector<std::string> done;  ///< a sentence each
  std::vector<std::string> left;  ///< what is still in force or not known, and how to undo it by hand
};

/// Of that run: reverts what stands on these hosts, the last one armed first, sees that it is gone and
/// removes the records. Calls the installed helper where there is one, else lays it. Blocking; worker
/// threads.
[[nodiscard]] HostHealing heal_hosts(const std::vector<Host*>& hosts, const std::string& run_id);

}  // namespace pgfiredrill::fault
