#pragma once

/// A clock that stands still until a test moves it; sleeping moves it at once.

#include <atomic>

#include "base/clock.h"

namespace pgfiredrill::testing {

class SimulatedClock final : public Clock {
 public:
  [[nodiscard]] nanoseconds monotonic() const override { return nanoseconds{monotonic_.load()}; }
  [[nodiscard]] nanoseconds boottime() const override { return monotonic() + nanoseconds{suspended_.load()}; }
  [[nodiscard]] nanoseconds wall() const override { return boottime() + nanoseconds{wall_offset_.load()}; }
  void sleep_for(nanoseconds duration) override { advance(duration); }

  void advance(nanoseconds duration) { monotonic_ += duration.count(); }
  /// The machine sleeps: boot time and wall time go on, monotonic time does not.
  void suspend(nanoseconds duration) { suspended_ += duration.count(); }
  /// Somebody sets the wall clock.
  void step_wall(nanoseconds by) { wall_offset_ += by.count(); }

 private:
  std::atomic<nanoseconds::rep> monotonic_{1'000'000'000};
  std::atomic<nanoseconds::rep> suspended_{0};
  std::atomic<nanoseconds::rep> wall_offset_{1'700'000'000'000'000'000};
};

}  // namespace pgfiredrill::testing
