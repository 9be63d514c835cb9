#pragma once

/// Reconnect capacity: the logins a second that each layer took at most, from `reconnect_rate` events. Pure.

#include <vector>

#include "measure/results.h"
#include "record/event.h"

namespace pgfiredrill {

/// One for each layer and entry point, in the order of the events. `limited_by_driver` where our own threads
/// used more than 85 % of what they can.
[[nodiscard]] std::vector<ReconnectResult> find_reconnect_capacity(const std::vector<Event>& events);

}  // namespace pgfiredrill
