#pragma once

/// The texts that stand on a host: a run's record (`armed/<run>`), and what the looking script prints of all.
/// They were written by root there and are believed no more than any other input.

#include <string>

#include "base/failure.h"
#include "fault-injectors/host_lock.h"

namespace pgfiredrill::fault {

[[nodiscard]] std::string armed_text(const OpenRun& run);
/// Fails `malformed` on anything but a whole record of `run_id`.
[[nodiscard]] Result<OpenRun> parse_armed(const std::string& text, const std::string& run_id,
                                          const std::string& host);

/// Frames: `now SECONDS`, then `lock` and `armed RUN`, each followed by its file's lines behind a `|`, and
/// `end`. Fails `malformed` on anything else, and where one of the files is none of ours.
[[nodiscard]] Result<HostState> parse_host_state(const std::string& output, const std::string& host);

}  // namespace pgfiredrill::fault
