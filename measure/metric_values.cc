#include "measure/metric_values.h"

#include <map>

namespace pgfiredrill {

namespace {

template <typename T>
std::optional<double> as_double(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

}  // namespace

std::optional<double> path_value(const PathResult& path, const std::string& metric) {
  static const std::map<std::string, std::optional<double> PathResult::*> values{
      {"outage_s", &PathResult::outage_s},   {"unavailable_s", &PathResult::unavailable_s},
      {"span_s", &PathResult::span_s},       {"error_s", &PathResult::error_s},
      {"stall_s", &PathResult::stall_s},     {"longest_gap_s", &PathResult::longest_gap_s},
      {"partial_s", &PathResult::partial_s}, {"availability_pct", &PathResult::availability_pct},
  };
  const auto found = values.find(metric);
  return found == values.end() ? std::nullopt : path.*found->second;
}

std::optional<double> repeat_value(const RepeatResult& repeat, const std::string& metric) {
  if (metric == "full_health_s") return repeat.full_health_s;
  if (metric == "replica_lag_s") return repeat.replica_lag ? repeat.replica_lag->max_s : std::nullopt;
  if (metric == "replica_lag_bytes") {
    return repeat.replica_lag ? repeat.replica_lag->max_bytes : std::nullopt;
  }
  if (metric == "failovers") return as_double(repeat.failovers);
  const auto& back = repeat.return_to_normal;
  if (metric == "throughput_back_s") return back ? back->throughput_s : std::nullopt;
  if (metric == "p95_back_s") return back ? back->p95_s : std::nullopt;
  if (!repeat.durability) return std::nullopt;
  const Durability& durability = *repeat.durability;
  if (metric == "lost") return as_double(durability.lost);
  if (metric == "weak_lost") return as_double(durability.weak_lost);
  if (metric == "unexpected") return as_double(durability.unexpected);
  if (metric == "duplicated") return as_double(durability.duplicated);
  if (metric == "in_doubt") return static_cast<double>(durability.in_doubt);
  if (metric == "rpo_bytes") return as_double(durability.rpo_bytes);
  return std::nullopt;
}

}  // namespace pgfiredrill
