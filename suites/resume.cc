#include "suites/resume.h"

#include <algorithm>

namespace pgfiredrill {
namespace {

bool is_final(Verdict verdict) {
  return verdict == Verdict::passed || verdict == Verdict::failed;
}

bool same_fault(const FaultSpec& a, const FaultSpec& b) {
  return a.kind == b.kind && a.target == b.target && a.options == b.options;
}

bool same_drill(const DrillPlan& before, const DrillPlan& now) {
  return before.name == now.name && same_fault(before.fault, now.fault) && before.repeats >= now.repeats &&
         std::equal(before.then.begin(), before.then.end(), now.then.begin(), now.then.end(), same_fault);
}

}  // namespace

Result<ContinuedRun> continue_run(const RunResult& before, const std::string& suite,
                                  const ClusterDescription& cluster) {
  const RunManifest& manifest = before.manifest;
  const auto refuse = [&](const std::string& came_back) {
    return Failure{.kind = FailureKind::malformed,
                   .what = "go on with run " + one_line(manifest.run_id, 130),
                   .came_back = came_back,
                   .hint = "Only the same suite on the same cluster can be gone on with."};
  };
  if (manifest.suite != suite) return refuse("it ran the suite '" + one_line(manifest.suite, 80) + "'");
  if (manifest.cluster.name != cluster.name ||
      manifest.cluster.system_identifier != cluster.system_identifier) {
    return refuse("it ran on the cluster '" + one_line(manifest.cluster.name, 80) + "' with identifier " +
                  one_line(manifest.cluster.system_identifier, 40));
  }
  ContinuedRun continued{.run_id = manifest.run_id, .measured = {}};
  for (const DrillResult& drill : before.drills) {
    DrillPlan plan = drill.plan;
    if (!plan.measured && is_final(drill.verdict)) plan.measured = {manifest.run_id, drill.verdict};
    if (plan.measured) continued.measured.push_back(std::move(plan));
  }
  return continued;
}

std::optional<MeasuredBefore> measured_before(const ContinuedRun& continued, const DrillPlan& plan) {
  for (const DrillPlan& before : continued.measured) {
    if (same_drill(before, plan)) return before.measured;
  }
  return std::nullopt;
}

}  // namespace pgfiredrill
