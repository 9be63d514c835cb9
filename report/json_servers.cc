#include "report/json_servers.h"

#include "report/json_values.h"

namespace pgfiredrill {
namespace {

using nlohmann::ordered_json;

ordered_json clock_json(const ClockResult& clock) {
  return {{"node", clock.node},
          {"offset_s", or_null(clock.offset_s)},
          {"error_s", or_null(clock.error_s)},
          {"drift_ppm", or_null(clock.drift_ppm)},
          {"steps", clock.steps},
          {"own_steps", clock.own_steps},
          {"why_not", clock.why_not}};
}

}  // namespace

ordered_json clocks_json(const std::vector<ClockResult>& clocks) {
  return array_of(clocks, clock_json);
}

ordered_json split_brain_json(const std::optional<SplitBrain>& split_brain) {
  if (!split_brain) return nullptr;
  return {{"proven", split_brain->proven},
          {"possible", split_brain->possible},
          {"through_entry_point", split_brain->through_entry_point},
          {"overlap_s", or_null(split_brain->overlap_s)},
          {"evidence", split_brain->evidence}};
}

}  // namespace pgfiredrill
