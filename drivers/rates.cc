#include <algorithm>
#include <vector>

#include "drivers/traffic.h"

namespace pgfiredrill {
namespace {

// A fresh session costs the client and each layer some milliseconds of CPU, most of it for TLS.
/// Of all fresh sessions; the rest is shared.
constexpr double kMainFreshShare = 1.0 / 3;
constexpr double kLeastFreshHz = 1;
constexpr double kMostFreshHz = 5;
/// A drill is an observer: its writes are to be lost in those of applications.
constexpr double kWritesPerSecond = 200;
/// Each read through a replica looks for the newest: 20 ms is what lag is told from.
constexpr double kHeartbeatHz = 50;

bool is_fresh_canary(const TrafficPath& path) {
  return path.purpose == Purpose::canary && path.session == SessionKind::fresh;
}

bool may_write(const TrafficPath& path) {
  return path.purpose == Purpose::canary && path.access == Access::read_write;
}

/// The path whose fresh sessions tell most: an application's own way to write.
TrafficPath* main_fresh_path(std::vector<TrafficPath>& paths) {
  TrafficPath* best = nullptr;
  for (TrafficPath& path : paths) {
    if (!is_fresh_canary(path) || path.access != Access::read_write) continue;
    const bool plain = path.depth == Depth::balancer && path.addresses.size() == 1;
    if (plain) return &path;
    if (best == nullptr) best = &path;
  }
  return best;
}

/// The ideal share within its bounds; the sum is never above what is left.
double share_of_fresh(double left, std::size_t paths) {
  const double even = left / static_cast<double>(std::max<std::size_t>(paths, 1));
  return std::min(even, std::clamp(even, kLeastFreshHz, kMostFreshHz));
}

void assign_fresh(std::vector<TrafficPath>& paths, double fresh_per_second) {
  const TrafficPath* main = main_fresh_path(paths);
  const auto fresh = static_cast<std::size_t>(std::count_if(paths.begin(), paths.end(), is_fresh_canary));
  const double main_hz = main != nullptr ? fresh_per_second * kMainFreshShare : 0;
  const double left = fresh_per_second - main_hz;
  const double share = share_of_fresh(left, fresh - (main != nullptr ? 1 : 0));
  for (TrafficPath& path : paths) {
    if (is_fresh_canary(path)) path.rate_hz = &path == main ? main_hz : share;
  }
}

/// Shares `total` among the paths that write nothing else; returns what was given away.
double assign_own_writes(std::vector<TrafficPath>& paths, Purpose purpose, double total) {
  const auto writers = std::count_if(paths.begin(), paths.end(),
                                     [&](const TrafficPath& path) { return path.purpose == purpose; });
  if (writers == 0) return 0;
  for (TrafficPath& path : paths) {
    if (path.purpose != purpose) continue;
    path.rate_hz = path.write_rate_hz = total / static_cast<double>(writers);
  }
  return total;
}

void assign_writes(std::vector<TrafficPath>& paths, double left) {
  const auto writers = std::count_if(paths.begin(), paths.end(), may_write);
  if (writers == 0) return;
  const double share = left / static_cast<double>(writers);
  for (TrafficPath& path : paths) {
    if (may_write(path)) path.write_rate_hz = std::min(path.rate_hz, share);
  }
}

}  // namespace

void assign_rates(std::vector<TrafficPath>& paths, double pooled_hz, double ledger_hz,
                  double fresh_per_second) {
  for (TrafficPath& path : paths) {
    path.write_rate_hz = 0;
    if (path.purpose == Purpose::canary && path.session == SessionKind::pooled) path.rate_hz = pooled_hz;
  }
  assign_fresh(paths, fresh_per_second);
  double left = kWritesPerSecond - assign_own_writes(paths, Purpose::heartbeat, kHeartbeatHz);
  left -= assign_own_writes(paths, Purpose::ledger, std::clamp(ledger_hz, 0.0, left));
  assign_writes(paths, left);
}

}  // namespace pgfiredrill
