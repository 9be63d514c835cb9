#pragma once

/// Time as a seam: everything that measures, waits or stamps takes a `Clock`, so that its rules can be tested
/// with a simulated one.

#include <chrono>
#include <string>

namespace pgfiredrill {

using std::chrono::nanoseconds;

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Since an arbitrary origin; does not advance while the machine is suspended. Intervals are differences of
  /// it.
  [[nodiscard]] virtual nanoseconds monotonic() const = 0;
  /// Like `monotonic`, but advances through a suspend: the two drifting apart betrays one.
  [[nodiscard]] virtual nanoseconds boottime() const = 0;
  /// Since 1970-01-01 UTC; a label only, never subtracted to get an interval.
  [[nodiscard]] virtual nanoseconds wall() const = 0;
  /// Blocks the calling thread. Never called on the traffic or connector loops.
  virtual void sleep_for(nanoseconds duration) = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] nanoseconds monotonic() const override;
  [[nodiscard]] nanoseconds boottime() const override;
  [[nodiscard]] nanoseconds wall() const override;
  void sleep_for(nanoseconds duration) override;
};

/// As results and events hold durations.
[[nodiscard]] constexpr double to_seconds(nanoseconds duration) noexcept {
  return static_cast<double>(duration.count()) / 1e9;
}

/// RFC 3339 in UTC with milliseconds: `2026-03-01T12:00:00.250Z`.
[[nodiscard]] std::string rfc3339(nanoseconds wall);

}  // namespace pgfiredrill
