#pragma once

/// When a scheduled switchover of ours is due, and how one that is pending is found and cancelled by whoever
/// did not schedule it.

#include <string>

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// So many seconds from now by the clock of the leader's host, which is the one that Patroni goes by: RFC
/// 3339 in UTC, with a fraction that a person would not choose and by which ours are told from others'.
[[nodiscard]] Result<std::string> due_in(std::chrono::seconds ahead, Host& leader_host);

/// Cancels the switchover that is scheduled, if it is ours; one of somebody else's stays. Fails where Patroni
/// could not be asked, or did not cancel it.
[[nodiscard]] Result<void> cancel_ours(const Tools& tools);

}  // namespace pgfiredrill::fault
