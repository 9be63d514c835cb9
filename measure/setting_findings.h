#pragma once

/// Settings that a measured outage can be laid to, with what mends them. They change no verdict: the budget
/// already reckons with the settings as they are. Pure.

#include <string>
#include <vector>

#include "base/finding.h"
#include "measure/results.h"
#include "record/manifest.h"

namespace pgfiredrill {

/// `pooler.server-login-retry`, `haproxy.check-timeout`, `balancer.drops-live-leader` and
/// `patroni.primary-start-timeout` of one repeat; `label` says which.
[[nodiscard]] std::vector<Finding> find_costly_settings(const std::string& label, const DrillPlan& plan,
                                                        const RepeatResult& repeat);

}  // namespace pgfiredrill
