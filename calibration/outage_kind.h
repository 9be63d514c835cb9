#pragma once

/// The outages that the instrument is held against.

#include <array>
#include <cstdint>

#include "base/clock.h"

namespace pgfiredrill {

enum class OutageKind : std::uint8_t {
  refuse,     ///< nobody listens; sessions that stand are reset
  reset,      ///< connections are accepted and reset, those that stand too
  delay,      ///< whatever is sent is held both ways, and let go at the end
  blackhole,  ///< packets are dropped both ways
};

inline constexpr std::array<OutageKind, 4> kOutageKinds{OutageKind::refuse, OutageKind::reset,
                                                        OutageKind::delay, OutageKind::blackhole};

[[nodiscard]] constexpr const char* to_string(OutageKind kind) noexcept {
  switch (kind) {
    case OutageKind::refuse:
      return "refuse";
    case OutageKind::reset:
      return "reset";
    case OutageKind::delay:
      return "delay";
    case OutageKind::blackhole:
      return "blackhole";
  }
  return "";
}

/// An outage as it really was: instants on the monotonic clock.
struct TrueOutage {
  nanoseconds start{0};
  nanoseconds end{0};
  [[nodiscard]] nanoseconds length() const { return end - start; }
};

}  // namespace pgfiredrill
