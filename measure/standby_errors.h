#pragma once

/// Sessions of a path that were led to a server in recovery, or were refused because somebody took their
/// server for one: a streaming fold.

#include <cstddef>

#include "base/clock.h"
#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

struct StandbyErrors {
  std::size_t count = 0;
  nanoseconds first{0};
  nanoseconds last{0};

  void on(const Operation& operation, const TrafficPath& path);
};

}  // namespace pgfiredrill
