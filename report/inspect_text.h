#pragma once

/// What `inspect` found, for people: on a terminal or as plain lines. Pure.

#include <string>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "report/terminal.h"

namespace pgfiredrill {

/// `now` (wall clock) is what the ages of backups count from; `width` is the terminal's, for running text.
[[nodiscard]] std::string render_inspect_text(const ClusterDescription& cluster, nanoseconds now,
                                              const TerminalStyle& style, std::size_t width);

}  // namespace pgfiredrill
