#include "calibration/lane_plan.h"

#include <algorithm>
#include <string>

namespace pgfiredrill {
namespace {

constexpr int kMostLanes = 8;
/// Of all lanes together, as in a run.
constexpr double kLoginsPerSecond = 60;
constexpr double kMostFreshHz = 10;
constexpr double kPooledHz = 50;
constexpr double kWritesHz = 5;

/// Seeds of neighbouring lanes must have nothing in common.
std::uint64_t seed_of_lane(std::uint64_t seed, std::size_t lane) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  std::uint64_t mixed = seed + (lane + 1) * kGolden;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  return mixed ^ (mixed >> 27);
}

TrafficPath path_over(const Endpoint& lane, std::size_t number, SessionKind session, double rate_hz) {
  return {.id = "lane-" + std::to_string(number) + "/" + to_string(session),
          .entrypoint = "lane-" + std::to_string(number),
          .addresses = {lane},
          .depth = Depth::server,
          .session = session,
          .rate_hz = rate_hz,
          .write_rate_hz = std::min(rate_hz, kWritesHz)};
}

}  // namespace

std::vector<StageLane> plan_lanes(const std::vector<OutageKind>& kinds, int outages, std::uint64_t seed) {
  std::vector<StageLane> lanes;
  if (kinds.empty()) return lanes;
  const int of_each = std::clamp(kMostLanes / static_cast<int>(kinds.size()), 1, std::max(1, outages));
  for (const OutageKind kind : kinds) {
    for (int i = 0; i < of_each; ++i) {
      const int share = outages / of_each + (i < outages % of_each ? 1 : 0);
      lanes.push_back({.kind = kind, .plan = plan_outages(share, seed_of_lane(seed, lanes.size()))});
    }
  }
  return lanes;
}

nanoseconds last_end(const std::vector<StageLane>& lanes) {
  nanoseconds last{0};
  for (const StageLane& lane : lanes) last = std::max(last, plan_end(lane.plan));
  return last;
}

std::vector<TrafficPath> paths_over(const std::vector<Endpoint>& lanes) {
  const double share = kLoginsPerSecond / static_cast<double>(std::max<std::size_t>(1, lanes.size()));
  std::vector<TrafficPath> paths;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    paths.push_back(path_over(lanes[i], i, SessionKind::fresh, std::min(share, kMostFreshHz)));
    paths.push_back(path_over(lanes[i], i, SessionKind::pooled, kPooledHz));
  }
  return paths;
}

}  // namespace pgfiredrill
