#pragma once

/// From what the user named to a discovered cluster; shared by every subcommand that looks at one.

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/log.h"
#include "cli/command_line.h"

namespace pgfiredrill {

/// Throws `Error` with `bad_usage` where the inventory or a named file cannot be read. What cannot be reached
/// on the cluster stands in the description.
[[nodiscard]] ClusterDescription discover_cluster(const ClusterSource& source, Clock& clock, Log& log);

}  // namespace pgfiredrill
