#pragma once

/// Stands before a server and makes outages on demand. Everything on its loop's thread.

#include <cstdint>
#include <map>
#include <memory>

#include "base/cluster_description.h"
#include "calibration/outage_kind.h"
#include "calibration/poll_loop.h"
#include "record/descriptor.h"

namespace pgfiredrill {

class OutageProxy {
 public:
  /// Leads whoever connects to `listener` on to `upstream`, on this machine. `listener` must be bound to a
  /// port that nobody else takes while it is closed.
  OutageProxy(PollLoop& loop, Descriptor listener, Endpoint upstream);
  ~OutageProxy();
  OutageProxy(const OutageProxy&) = delete;
  OutageProxy& operator=(const OutageProxy&) = delete;

  [[nodiscard]] const Endpoint& address() const noexcept { return address_; }

  /// Not a blackhole: that is none of a program that takes packets. The instant is the last one at which
  /// nothing had been done yet.
  [[nodiscard]] nanoseconds begin(OutageKind kind);
  /// The first instant at which all was as before. Fails where the port cannot be had again.
  [[nodiscard]] Result<nanoseconds> end();

 private:
  class Relay;
  enum class Door : std::uint8_t { open, closed, resetting, held };

  void open_door();
  void accept_all();
  void end_relay(std::uint64_t number);
  void reset_all();

  PollLoop& loop_;
  Descriptor listener_;
  Endpoint address_;
  Endpoint upstream_;
  Door door_ = Door::open;
  std::uint64_t watched_ = 0;
  std::uint64_t last_relay_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Relay>> relays_;
};

}  // namespace pgfiredrill
