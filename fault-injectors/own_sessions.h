#pragma once

/// Sessions that a fault opens as the traffic's role, by the way that applications go; and what servers tell
/// of them.

#include <string>

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

inline constexpr const char* kStormApplication = "pgfiredrill storm";
inline constexpr const char* kHeldApplication = "pgfiredrill held session";

/// How to log in to the leader: through the first read-write entry point, else at the leader's own pooler or
/// server. Fails `missing` where there is no such way, or nobody's login is known (while healing).
[[nodiscard]] Result<ConnectParameters> way_in(const Tools& tools, const std::string& leader,
                                               const std::string& application);

/// What `question` counts on one member, asked by the superuser; $1 is the application's name.
[[nodiscard]] Result<std::int64_t> count_on(const Tools& tools, const std::string& member,
                                            const std::string& question, const std::string& application);

/// Waits a minute until no member that answers has such a session any more: they end with the process that
/// opened them, but a server notices it only at the end of a statement.
[[nodiscard]] Evidence sessions_are_gone(const Tools& tools, const std::string& application);

}  // namespace pgfiredrill::fault
