#pragma once

/// The event loop of the process that plays the other side: sockets and instants, one thread.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/clock.h"

namespace pgfiredrill {

/// Now, on the clock that instants of the loop are on (CLOCK_MONOTONIC, as `SystemClock::monotonic`).
[[nodiscard]] nanoseconds monotonic_now() noexcept;

class PollLoop {
 public:
  using OnEvents = std::function<void(std::uint32_t events)>;

  PollLoop();
  ~PollLoop();
  PollLoop(const PollLoop&) = delete;
  PollLoop& operator=(const PollLoop&) = delete;

  /// `events` as epoll has them. The descriptor stays the caller's, who forgets it before closing it. The
  /// number names it from then on and is never used twice.
  [[nodiscard]] std::uint64_t watch(int descriptor, std::uint32_t events, OnEvents on_events);
  void change(std::uint64_t watched, std::uint32_t events);
  void forget(std::uint64_t watched);

  /// Once, at that instant or as soon after it as the loop comes to it.
  void at(nanoseconds instant, std::function<void()> work);

  /// Until `stop`, which something that the loop calls does.
  void run();
  void stop() noexcept { running_ = false; }

 private:
  struct Watched {
    int descriptor = -1;
    std::uint32_t events = 0;
    OnEvents on_events;
  };
  void run_due();
  [[nodiscard]] int wait_milliseconds() const;

  int epoll_;
  bool running_ = false;
  std::uint64_t last_id_ = 0;
  // Shared: what is called may forget itself.
  std::unordered_map<std::uint64_t, std::shared_ptr<Watched>> watched_;
  std::multimap<nanoseconds, std::function<void()>> due_;
};

}  // namespace pgfiredrill
