#include "measure/reconnect.h"

#include <algorithm>
#include <cmath>

namespace pgfiredrill {

namespace {

constexpr double kDriverIsBusy = 0.85;

std::optional<Layer> layer_of(const Event& event) {
  const std::string name = event.text("layer").value_or("");
  if (name == "balancer") return Layer::balancer;
  if (name == "pooler") return Layer::pooler;
  if (name == "server") return Layer::postgres;
  return std::nullopt;
}

std::size_t count(const Event& event, const char* field) {
  return static_cast<std::size_t>(std::max<std::int64_t>(event.integer(field).value_or(0), 0));
}

bool driver_was_busy(const Event& event, double over_s) {
  const double can = static_cast<double>(std::max<std::size_t>(count(event, "threads"), 1)) * over_s;
  return event.number("driver_cpu_s").value_or(0) > kDriverIsBusy * can;
}

ReconnectResult& result_for(std::vector<ReconnectResult>& results, Layer layer,
                            const std::string& entrypoint) {
  const auto known = std::find_if(results.begin(), results.end(), [&](const ReconnectResult& result) {
    return result.layer == layer && result.entrypoint == entrypoint;
  });
  if (known != results.end()) return *known;
  ReconnectResult& result = results.emplace_back();
  result.layer = layer;
  result.entrypoint = entrypoint;
  return result;
}

void take_in(ReconnectResult& result, const Event& event, double over_s) {
  result.failed += count(event, "failed");
  if (const std::size_t sessions = count(event, "max_connections"); sessions > 0) result.sessions = sessions;
  const double rate = static_cast<double>(count(event, "logins")) / over_s;
  if (result.concurrency > 0 && rate <= result.logins_per_s) return;
  result.logins_per_s = rate;
  result.concurrency = count(event, "concurrency");
  result.limited_by_driver = driver_was_busy(event, over_s);
}

}  // namespace

std::vector<ReconnectResult> find_reconnect_capacity(const std::vector<Event>& events) {
  std::vector<ReconnectResult> results;
  for (const Event& event : events) {
    if (event.kind != event::kReconnectRate) continue;
    const auto layer = layer_of(event);
    const double over_s = event.number("over_s").value_or(0);
    if (!layer || !(over_s > 0)) continue;
    take_in(result_for(results, *layer, event.text("entrypoint").value_or("")), event, over_s);
  }
  for (ReconnectResult& result : results) {
    if (result.sessions && result.logins_per_s > 0) {
      result.sessions_back_s = static_cast<double>(*result.sessions) / result.logins_per_s;
    }
  }
  return results;
}

}  // namespace pgfiredrill
