#pragma once

/// Which way a server's own PostgreSQL is asked: over the network as the traffic's role, or where nobody
/// answers there over its Unix socket, led here by SSH, as superuser. Pure.

#include <cstdint>

#include "cluster/session_evidence.h"

namespace pgfiredrill {

enum class Way : std::uint8_t { direct, ssh };

/// What events call it.
[[nodiscard]] constexpr const char* to_string(Way way) noexcept {
  return way == Way::direct ? "direct" : "ssh";
}

/// Until a login succeeds, ways take turns where the network is what fails; from then on it is that way for
/// good: that a server goes down must not look like a wall that was built.
class WayChoice {
 public:
  explicit WayChoice(bool ssh_possible) : ssh_possible_{ssh_possible} {}

  [[nodiscard]] Way now() const noexcept { return way_; }
  void succeeded() noexcept { settled_ = true; }
  void login_failed(const LoginEvidence& evidence);
  /// SSH did not lead there.
  void route_failed();

 private:
  bool ssh_possible_;
  Way way_ = Way::direct;
  bool settled_ = false;
};

}  // namespace pgfiredrill
