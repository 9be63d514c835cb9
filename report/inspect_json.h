#pragma once

/// What `inspect` found, for machines. Pure.

#include <string>

#include "base/clock.h"
#include "base/cluster_description.h"

namespace pgfiredrill {

/// One JSON document as report/inspect.schema.json describes it: `_s` seconds, `_ms` milliseconds, `_bytes`
/// bytes, `_at` RFC 3339 UTC; what was not learnt is null. Holds no secret.
[[nodiscard]] std::string render_inspect_json(const ClusterDescription& cluster, nanoseconds now,
                                              const std::string& tool_version);

}  // namespace pgfiredrill
