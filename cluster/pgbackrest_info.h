#pragma once

/// `pgbackrest info --output=json`: which backups and WAL each repository holds.

#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/host.h"

namespace pgfiredrill {

/// One stanza's repositories as `info` gives them; `location` and `type` stay empty (they stand in the
/// configuration). `where` is for messages. Fails `malformed` on what is not `info`'s JSON; a stanza that is
/// not in the answer gives an empty list. Only backups and archives of the current database (the highest db
/// id) fill archive_min/max.
[[nodiscard]] Result<std::vector<Repository>> parse_pgbackrest_info(const std::string& json,
                                                                    const std::string& stanza,
                                                                    const std::string& where);

/// Runs `info` as the postgres user on `host` (read-only; talks to every repository).
[[nodiscard]] Result<std::vector<Repository>> read_pgbackrest_info(Host& host, const std::string& stanza,
                                                                   std::chrono::milliseconds deadline);

}  // namespace pgfiredrill
