#pragma once

/// `pgbackrest info --output=json`: which backups and WAL each repository holds.

#include <chrono>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/host.h"

namespace pgfiredrill {

/// One stanza's repositories as `info` gives them; `location` and `type` stay empty (they stand in the
/// configuration). `where` is for messages. Fails `malformed` on what is not `info`'s JSON; a stanza that is
/// not in the answer gives an empty list. Only backups and archives of the current database (a repository's
/// highest db id) count: what is there of the version before an upgrade restores that version only. A
/// backup's `repository_bytes` is what it takes by itself where pgBackRest gives no whole (block
/// incremental). `reachable` is false where pgBackRest could not read the repository; its error is the
/// `status`.
[[nodiscard]] Result<std::vector<Repository>> parse_pgbackrest_info(const std::string& json,
                                                                    const std::string& stanza,
                                                                    const std::string& where);

/// Runs `info` as the postgres user on `host` (read-only; talks to every repository). Fails `missing` where
/// there is no pgBackRest, `failed` where it says no.
[[nodiscard]] Result<std::vector<Repository>> read_pgbackrest_info(Host& host, const std::string& stanza,
                                                                   std::chrono::milliseconds deadline);

}  // namespace pgfiredrill
