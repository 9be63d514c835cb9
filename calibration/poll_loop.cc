#include "calibration/poll_loop.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <sys/epoll.h>
#include <unistd.h>

namespace pgfiredrill {

nanoseconds monotonic_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds{now.tv_sec} + nanoseconds{now.tv_nsec};
}

PollLoop::PollLoop() : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {}

PollLoop::~PollLoop() {
  if (epoll_ >= 0) ::close(epoll_);
}

std::uint64_t PollLoop::watch(int descriptor, std::uint32_t events, OnEvents on_events) {
  const std::uint64_t id = ++last_id_;
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  watched_.emplace(id, std::make_shared<Watched>(Watched{descriptor, events, std::move(on_events)}));
  return id;
}

void PollLoop::change(std::uint64_t watched, std::uint32_t events) {
  const auto found = watched_.find(watched);
  if (found == watched_.end() || found->second->events == events) return;
  found->second->events = events;
  epoll_event event{};
  event.events = events;
  event.data.u64 = watched;
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, found->second->descriptor, &event);
}

void PollLoop::forget(std::uint64_t watched) {
  const auto found = watched_.find(watched);
  if (found == watched_.end()) return;
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, found->second->descriptor, nullptr);
  watched_.erase(found);
}

void PollLoop::at(nanoseconds instant, std::function<void()> work) {
  due_.emplace(instant, std::move(work));
}

int PollLoop::wait_milliseconds() const {
  if (due_.empty()) return -1;
  const nanoseconds left = std::max(nanoseconds{0}, due_.begin()->first - monotonic_now());
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

void PollLoop::run_due() {
  while (!due_.empty() && due_.begin()->first <= monotonic_now()) {
    const auto work = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    work();
  }
}

void PollLoop::run() {
  running_ = true;
  std::array<epoll_event, 64> ready{};
  while (running_) {
    const int count = ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), wait_milliseconds());
    run_due();
    for (int i = 0; i < count && running_; ++i) {
      const epoll_event& event = ready[static_cast<std::size_t>(i)];
      const auto found = watched_.find(event.data.u64);
      if (found == watched_.end()) continue;  // forgotten by one that was called before it
      const auto watched = found->second;
      watched->on_events(event.events);
    }
  }
}

}  // namespace pgfiredrill
