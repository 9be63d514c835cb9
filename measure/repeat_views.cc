#include "measure/repeat_views.h"

#include <string>
#include <utility>

namespace pgfiredrill {

namespace {

void explain(RepeatResult& result, std::string pointer, std::string reason) {
  result.not_measured.push_back({std::move(pointer), std::move(reason)});
}

void explain_latency(RepeatResult& result, const std::string& at, const PathLatency& latency) {
  const auto look = [&](const char* kind, const std::optional<LatencyResult>& before,
                        const std::optional<LatencyResult>& after) {
    const std::string pointer = at + "/latency/" + kind;
    if (!before) explain(result, pointer + "/before", "no operation of this path succeeded in the baseline");
    if (!after)
      explain(result, pointer + "/after", "no operation of this path succeeded after the injection");
  };
  look("response", latency.response_before, latency.response_after);
  look("service", latency.service_before, latency.service_after);
}

void put_back_to_normal(const JudgedReturn& judged, RepeatResult& result) {
  const std::string pointer = "/return_to_normal";
  result.return_to_normal = judged.result;
  if (!judged.result) return explain(result, pointer, judged.why_not);
  if (!judged.result->throughput_s) explain(result, pointer + "/throughput_s", judged.why_no_throughput);
  if (!judged.result->p95_s) explain(result, pointer + "/p95_s", judged.why_no_p95);
  if (!judged.result->baseline_p95_s) explain(result, pointer + "/baseline_p95_s", judged.why_no_p95);
}

}  // namespace

RepeatViewsFold::RepeatViewsFold(const RunManifest& manifest, const RepeatTimes& times)
    : manifest_{&manifest}, back_to_normal_{times} {
  for (std::size_t i = 0; i < manifest.paths.size(); ++i) {
    const TrafficPath& path = manifest.paths[i];
    if (path.purpose == Purpose::ledger) ledgers_.emplace(i, PathLatencyFold{path, times});
    if (ApplicationFold::concerns(path)) applications_.emplace(i, ApplicationFold{path, times});
  }
}

void RepeatViewsFold::on(const Operation& operation) {
  back_to_normal_.on(operation, manifest_->paths[operation.path]);
  if (const auto ledger = ledgers_.find(operation.path); ledger != ledgers_.end()) {
    ledger->second.on(operation);
  }
  if (const auto view = applications_.find(operation.path); view != applications_.end()) {
    view->second.on(operation);
  }
}

RepeatViews RepeatViewsFold::finish() const {
  RepeatViews views;
  views.back_to_normal = back_to_normal_.finish();
  for (const auto& [path, ledger] : ledgers_) {
    views.ledger_latency.push_back({manifest_->paths[path].id, ledger.finish()});
  }
  for (const auto& [path, application] : applications_) {
    for (ApplicationView& view : application.finish()) views.applications.push_back(std::move(view));
  }
  return views;
}

void put_views(const RepeatViews& views, RepeatResult& result) {
  for (std::size_t i = 0; i < result.paths.size(); ++i) {
    explain_latency(result, "/paths/" + std::to_string(i), result.paths[i].latency);
  }
  result.ledger_latency = views.ledger_latency;
  for (std::size_t i = 0; i < views.ledger_latency.size(); ++i) {
    explain_latency(result, "/ledger_latency/" + std::to_string(i), views.ledger_latency[i].latency);
  }
  put_back_to_normal(views.back_to_normal, result);
  result.applications = views.applications;
}

}  // namespace pgfiredrill
