#pragma once

/// Which storms of logins measure what a cluster takes when every application reconnects, and how each stands
/// in the record. Pure.

#include <string>
#include <vector>

#include "drivers/login_storm.h"
#include "record/event.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

/// One entry point of each layer that there is a path to (the first balancer's read-write port, the leader's
/// pooler, the leader's PostgreSQL), each at growing concurrency.
[[nodiscard]] std::vector<LoginStorm> find_storms(const std::vector<TrafficPath>& paths,
                                                  const std::string& leader, const TrafficAccess& access);

[[nodiscard]] Event reconnect_event(const LoginStorm& storm, const LoginRate& rate);

}  // namespace pgfiredrill
