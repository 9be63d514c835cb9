#pragma once

/// Looking at the cluster again and again until something is so.

#include <functional>
#include <optional>
#include <string>

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// Patroni's REST costs its host several milliseconds of CPU for each question.
inline constexpr std::chrono::seconds kBetweenLooks{1};
/// Of a member that was hit: pg_rewind and catching up included, rebuilding it not.
inline constexpr std::chrono::seconds kRejoinPatience{60};

/// Looks until `judge` says that it took; its last word where `patience` ran out first. At least one look.
[[nodiscard]] Evidence watch(const Tools& tools, nanoseconds patience,
                             const std::function<Evidence(const ClusterSnapshot&)>& judge);

/// Patroni has `member` running as the leader or following it, and its PostgreSQL answers where it was asked.
[[nodiscard]] Evidence is_back(const ClusterSnapshot& now, const std::string& member);

/// Patroni's words for a member: "leader, running, timeline 3".
[[nodiscard]] std::string told(const PatroniMember& member);

/// The one leader; fails `missing` where there is none, or more than one.
[[nodiscard]] Result<const PatroniMember*> aim_at_leader(const ClusterSnapshot& now,
                                                         const std::string& fault);

}  // namespace pgfiredrill::fault
