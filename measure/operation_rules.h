#pragma once

/// What one operation of a canary path counts as. Pure.

#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

/// Acknowledged within the deadline from its due time, by a server that may answer on this path: on a
/// read-write path none that is in recovery.
[[nodiscard]] bool is_success(const Operation& operation, const TrafficPath& path);

/// Did not come to its end within the deadline: late, dropped, or given up on at our own deadline.
[[nodiscard]] bool is_stall(const Operation& operation, const TrafficPath& path);

/// Somebody answered, or refused, with an error.
[[nodiscard]] bool is_error(const Operation& operation, const TrafficPath& path);

/// The session led to a server in recovery: it answered on a read-write path, or refused a write (25006).
[[nodiscard]] bool led_to_standby(const Operation& operation, const TrafficPath& path);

/// Class of a non-success; none where the only trouble was that a good end came late.
[[nodiscard]] ErrorClass error_of(const Operation& operation, const TrafficPath& path);

/// Interval between due times, within what a path can have whatever the manifest says.
[[nodiscard]] nanoseconds interval_of(const TrafficPath& path);

/// When the operation's end was known: where it ended, else at its deadline.
[[nodiscard]] nanoseconds known_at(const Operation& operation, const TrafficPath& path);

/// The deadline, within what a path can have whatever the manifest says.
[[nodiscard]] nanoseconds deadline_of(const TrafficPath& path);

}  // namespace pgfiredrill
