#pragma once

#include <string>

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// The one member of Patroni's that a target means now (`leader`, `replica`, a member's or its host's name),
/// as Patroni tells of it. Fails `missing`.
[[nodiscard]] Result<PatroniMember> aim_at_member(const std::string& target, const ClusterSnapshot& now,
                                                  const Tools& tools);

/// The start of its postmaster, microseconds since 1970 as text; empty where its PostgreSQL did not answer.
[[nodiscard]] std::string postmaster_start(const ClusterSnapshot& now, const std::string& member);

}  // namespace pgfiredrill::fault
