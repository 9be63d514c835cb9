#pragma once

/// The ledger's lane as traffic has it (its loop, its connector, its record), but in a closed loop.

#include <cstddef>

#include "base/clock.h"
#include "base/failure.h"
#include "drivers/traffic.h"

namespace pgfiredrill::bench {

struct ClosedLoopOptions {
  TrafficAccess access;
  int port = 0;  ///< on 127.0.0.1
  Depth depth = Depth::server;
  int sessions = 1;
  nanoseconds duration{0};
};

struct ClosedLoopEnd {
  std::size_t acknowledged = 0;
  double elapsed_s = 0;
};

/// Every operation is recorded into a folder that is removed afterwards. Fails where a session cannot be had,
/// or a write is not acknowledged.
[[nodiscard]] Result<ClosedLoopEnd> run_closed_loop(const ClosedLoopOptions& options);

}  // namespace pgfiredrill::bench
