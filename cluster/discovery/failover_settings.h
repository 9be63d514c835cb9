#pragma once

/// Gathers the settings that decide failover from what discovery has read. Pure.

#include <vector>

#include "base/settings.h"
#include "cluster/discovery/host_look.h"
#include "cluster/discovery/service_look.h"

namespace pgfiredrill {

/// Where hosts disagree, the first one's value stands and the disagreement is said.
[[nodiscard]] FailoverSettings gather_settings(const std::vector<HostLook>& looks,
                                               const ServiceLook& services);

}  // namespace pgfiredrill
