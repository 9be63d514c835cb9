#include <nlohmann/json.hpp>

#include "cli/calibrate_text.h"

namespace pgfiredrill {
namespace {

using Json = nlohmann::ordered_json;

Json kind_json(const KindVerdict& verdict) {
  return {{"kind", to_string(verdict.kind)},
          {"session", to_string(verdict.session)},
          {"outages", verdict.outages},
          {"error_p50_s", to_seconds(verdict.error_p50)},
          {"error_p99_s", to_seconds(verdict.error_p99)},
          {"error_max_s", to_seconds(verdict.error_max)},
          {"bound_s", to_seconds(verdict.bound)},
          {"outside", verdict.outside},
          {"outside_without_stall", verdict.outside_without_stall},
          {"missed", verdict.missed},
          {"invented", verdict.invented},
          {"holds", verdict.holds()}};
}

}  // namespace

std::string render_calibration_json(const CalibrationResult& result) {
  Json kinds = Json::array();
  for (const KindVerdict& verdict : result.verdicts) kinds.push_back(kind_json(verdict));
  Json not_run = Json::array();
  for (const auto& [kind, reason] : result.not_run) {
    not_run.push_back({{"kind", to_string(kind)}, {"reason", reason}});
  }
  const Json whole{
      {"verdict", calibration_verdict(result)}, {"seed", result.seed}, {"fresh_hz", result.fresh_hz},
      {"pooled_hz", result.pooled_hz},          {"kinds", kinds},      {"not_run", not_run}};
  return whole.dump(2) + "\n";
}

}  // namespace pgfiredrill
