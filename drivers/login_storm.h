#pragma once

/// Logins through one entry point as fast as they go: what its layers take a second when every application
/// reconnects at once. A load, not an observer: for a healthy cluster that nothing else is measured on.

#include <cstddef>
#include <optional>

#include "base/clock.h"
#include "base/failure.h"
#include "drivers/traffic.h"
#include "record/recorder.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

struct LoginStorm {
  TrafficPath path;
  TrafficAccess access;
  /// Sessions logging in at once. Bounded by `kMostStormSessions` and by half of what is left of the server's
  /// max_connections, so that applications still find room.
  int concurrency = 4;
  nanoseconds duration = std::chrono::seconds{3};
};

inline constexpr int kMostStormSessions = 100;
/// Threads that log in, at most: TLS and SCRAM cost this machine as much as the cluster.
inline constexpr int kStormThreads = 2;

struct LoginRate {
  int concurrency = 0;  ///< as it was bounded
  double over_s = 0;
  std::size_t logins = 0;  ///< with an answer to one statement, closed again
  std::size_t failed = 0;
  double driver_cpu_s = 0;  ///< of our threads together
  int threads = 0;
  std::optional<int> max_connections;  ///< of the server that answered
};

/// Blocking, for little more than the duration; a worker's thread, and threads of its own. Fails where the
/// first login does, or where the server has no room for more.
[[nodiscard]] Result<LoginRate> storm_logins(const LoginStorm& storm, Recorder& recorder, Clock& clock);

/// `wanted` within the bounds, for a server with so many connections allowed and in use; 0: no room.
[[nodiscard]] int bounded_concurrency(int wanted, int max_connections, int in_use) noexcept;

}  // namespace pgfiredrill
