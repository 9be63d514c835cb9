#include "drivers/socket_set.h"

#include <algorithm>
#include <array>
#include <utility>

#include <sys/epoll.h>
#include <unistd.h>

namespace pgfiredrill {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

/// An id is the number of the place in its lower bits, and above them how many sockets had been added.
constexpr unsigned kPlaceBits = 20;
constexpr std::uint64_t kPlaces = std::uint64_t{1} << kPlaceBits;

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

std::size_t SocketSet::take_place() {
  if (free_.empty()) {
    entries_.emplace_back();
    return entries_.size() - 1;
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  return place;
}

std::uint64_t SocketSet::add(int socket, std::function<void()> on_ready) {
  const std::size_t place = take_place();
  const std::uint64_t id = ++added_ << kPlaceBits | place;
  auto event = events_of(false, id);
  if (place >= kPlaces || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0) {
    free_.push_back(place);
    return 0;
  }
  entries_[place] = {.id = id, .socket = socket, .wants_write = false, .on_ready = std::move(on_ready)};
  return id;
}

SocketSet::Entry* SocketSet::find(std::uint64_t id) {
  const std::size_t place = id % kPlaces;
  return id != 0 && place < entries_.size() && entries_[place].id == id ? &entries_[place] : nullptr;
}

void SocketSet::remove(std::uint64_t id) {
  Entry* const entry = find(id);
  if (entry == nullptr) return;
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, entry->socket, nullptr);
  entry->id = 0;
  freed_in_call_.push_back(id % kPlaces);
}

void SocketSet::want_write(std::uint64_t id, bool wanted) {
  Entry* const entry = find(id);
  if (entry == nullptr || entry->wants_write == wanted) return;
  entry->wants_write = wanted;
  auto event = events_of(wanted, id);
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, entry->socket, &event);
}

int SocketSet::call_ready(nanoseconds wait) {
  std::array<epoll_event, 64> ready;
  const timespec limit{.tv_sec = 0, .tv_nsec = std::clamp<nanoseconds::rep>(wait.count(), 0, 999'999'999)};
  const int count = ::epoll_pwait2(epoll_, ready.data(), static_cast<int>(ready.size()), &limit, nullptr);
  for (int i = 0; i < count; ++i) {
    if (Entry* const entry = find(ready[static_cast<std::size_t>(i)].data.u64)) entry->on_ready();
  }
  free_.insert(free_.end(), freed_in_call_.begin(), freed_in_call_.end());
  freed_in_call_.clear();
  return count;
}

void SocketSet::dispatch(steady_clock::time_point until) {
  int called = call_ready(nanoseconds{0});
  while (called > 0) {
    const auto now = steady_clock::now();
    if (until <= now) return;
    called = call_ready(until - now);
  }
}

}  // namespace pgfiredrill
