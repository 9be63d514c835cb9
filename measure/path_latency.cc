#include "measure/path_latency.h"

#include "measure/operation_rules.h"

namespace pgfiredrill {

PathLatencyFold::PathLatencyFold(const TrafficPath& path, const RepeatTimes& times)
    : path_{&path}, times_{times} {}

bool PathLatencyFold::is_before(const Operation& operation) const {
  const nanoseconds fault = times_.injected.value_or(times_.to);
  return operation.due >= times_.baseline_from && known_at(operation, *path_) < fault;
}

bool PathLatencyFold::is_after(const Operation& operation) const {
  return times_.injected && operation.due >= *times_.injected && operation.due < times_.to;
}

void PathLatencyFold::on(const Operation& operation) {
  if (operation.kind != RecordKind::done || !operation.done_after || !is_success(operation, *path_)) return;
  const bool before = is_before(operation);
  if (!before && !is_after(operation)) return;
  (before ? histograms_.response_before : histograms_.response_after).record(*operation.done_after);
  if (!operation.sent_after) return;
  (before ? histograms_.service_before : histograms_.service_after)
      .record(*operation.done_after - *operation.sent_after);
}

PathLatency PathLatencyFold::finish() const {
  return {.response_before = summary_of(histograms_.response_before),
          .response_after = summary_of(histograms_.response_after),
          .service_before = summary_of(histograms_.service_before),
          .service_after = summary_of(histograms_.service_after)};
}

std::optional<LatencyResult> summary_of(const LatencyHistogram& histogram) {
  if (histogram.count() == 0) return std::nullopt;
  const auto quantile = [&](double share) {
    return to_seconds(histogram.value_at_quantile(share).value_or(nanoseconds{0}));
  };
  return LatencyResult{.count = histogram.count(),
                       .mean_s = to_seconds(histogram.mean().value_or(nanoseconds{0})),
                       .p50_s = quantile(0.5),
                       .p90_s = quantile(0.9),
                       .p95_s = quantile(0.95),
                       .p99_s = quantile(0.99),
                       .p999_s = quantile(0.999),
                       .max_s = to_seconds(histogram.max().value_or(nanoseconds{0}))};
}

}  // namespace pgfiredrill
