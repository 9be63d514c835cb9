#pragma once

/// What a drill is expected to cost on this cluster: its budget, and numbers in the stead of the words that a
/// suite says for limits.

#include "base/cluster_description.h"
#include "record/manifest.h"

namespace pgfiredrill {

/// `plan.fault` and its further faults must be settled. Pure.
void settle_expectations(DrillPlan& plan, const ClusterDescription& cluster);

}  // namespace pgfiredrill
