#include "drivers/socket_set.h"

#include <array>
#include <utility>

#include <sys/epoll.h>
#include <unistd.h>

namespace pgfiredrill {
namespace {

epoll_event events_of(bool wants_write, std::uint64_t id) {
  epoll_event event{};
  event.events = EPOLLIN | (wants_write ? EPOLLOUT : 0U);
  event.data.u64 = id;
  return event;
}

}  // namespace

SocketSet::SocketSet() : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {}

SocketSet::~SocketSet() {
  if (epoll_ >= 0) ::close(epoll_);
}

std::uint64_t SocketSet::add(int socket, std::function<void()> on_ready) {
  auto event = events_of(false, last_id_ + 1);
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0) return 0;
  entries_.emplace(++last_id_, Entry{.socket = socket, .on_ready = std::move(on_ready)});
  return last_id_;
}

void SocketSet::remove(std::uint64_t id) {
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return;
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, entry->second.socket, nullptr);
  entries_.erase(entry);
}

void SocketSet::want_write(std::uint64_t id, bool wanted) {
  const auto entry = entries_.find(id);
  if (entry == entries_.end() || entry->second.wants_write == wanted) return;
  entry->second.wants_write = wanted;
  auto event = events_of(wanted, id);
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, entry->second.socket, &event);
}

void SocketSet::dispatch() {
  std::array<epoll_event, 64> ready{};
  const int count = ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; ++i) {
    const auto entry = entries_.find(ready[static_cast<std::size_t>(i)].data.u64);
    if (entry == entries_.end()) continue;
    const auto on_ready = entry->second.on_ready;  // it may remove itself
    on_ready();
  }
}

}  // namespace pgfiredrill
