#include "report/json_latency.h"

#include "report/json_values.h"

namespace pgfiredrill {
namespace {

using nlohmann::ordered_json;

ordered_json summary_json(const std::optional<LatencyResult>& latency) {
  if (!latency) return nullptr;
  return {{"count", latency->count},
          {"mean_s", or_null(latency->mean_s)},
          {"p50_s", or_null(latency->p50_s)},
          {"p90_s", or_null(latency->p90_s)},
          {"p95_s", or_null(latency->p95_s)},
          {"p99_s", or_null(latency->p99_s)},
          {"p999_s", or_null(latency->p999_s)},
          {"max_s", or_null(latency->max_s)}};
}

ordered_json view_json(const ApplicationView& view) {
  return {{"path", view.path},
          {"policy", view.policy},
          {"requests", view.requests},
          {"failed", view.failed},
          {"unfinished", view.unfinished},
          {"longest_hang_s", or_null(view.longest_hang_s)},
          {"censored", view.censored}};
}

ordered_json layer_json(const ReconnectResult& result) {
  return {{"layer", to_string(result.layer)},
          {"entrypoint", result.entrypoint},
          {"logins_per_s", or_null(result.logins_per_s)},
          {"concurrency", result.concurrency},
          {"failed", result.failed},
          {"limited_by_driver", result.limited_by_driver},
          {"sessions", or_null(result.sessions)},
          {"sessions_back_s", or_null(result.sessions_back_s)}};
}

}  // namespace

ordered_json latency_json(const PathLatency& latency) {
  return {
      {"response",
       {{"before", summary_json(latency.response_before)}, {"after", summary_json(latency.response_after)}}},
      {"service",
       {{"before", summary_json(latency.service_before)}, {"after", summary_json(latency.service_after)}}}};
}

ordered_json ledger_latency_json(const std::vector<LedgerLatency>& ledgers) {
  return array_of(ledgers, [](const LedgerLatency& ledger) {
    return ordered_json{{"path", ledger.path}, {"latency", latency_json(ledger.latency)}};
  });
}

ordered_json return_to_normal_json(const std::optional<ReturnToNormal>& back) {
  if (!back) return nullptr;
  return {{"throughput_s", or_null(back->throughput_s)},
          {"p95_s", or_null(back->p95_s)},
          {"baseline_per_s", or_null(back->baseline_per_s)},
          {"baseline_p95_s", or_null(back->baseline_p95_s)}};
}

ordered_json applications_json(const std::vector<ApplicationView>& views) {
  return array_of(views, view_json);
}

ordered_json reconnect_json(const std::vector<ReconnectResult>& layers) {
  return array_of(layers, layer_json);
}

}  // namespace pgfiredrill
