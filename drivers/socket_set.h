#pragma once

/// The sockets of all pooled sessions as one descriptor: an epoll set of its own costs an operation a third
/// less than a wait of the event loop's for each. One thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace pgfiredrill {

class SocketSet {
 public:
  SocketSet();
  ~SocketSet();
  SocketSet(const SocketSet&) = delete;
  SocketSet& operator=(const SocketSet&) = delete;

  /// Readable while a socket in it is ready; -1 where the system gave none.
  [[nodiscard]] int descriptor() const noexcept { return epoll_; }

  /// A number that no other socket ever has in this set: what is reported late for a socket that is closed
  /// finds nobody. 0 where the system refuses.
  [[nodiscard]] std::uint64_t add(int socket, std::function<void()> on_ready);
  /// Before the socket is closed.
  void remove(std::uint64_t id);
  void want_write(std::uint64_t id, bool wanted);

  /// Calls those that are ready. As long as some are, it waits for more until `until`: going back to the
  /// event loop for each would cost two system calls an operation. Returns at once where none is.
  void dispatch(std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::min());

 private:
  struct Entry {
    std::uint64_t id = 0;  ///< of the socket that has the place now; 0: none
    int socket = -1;
    bool wants_write = false;
    std::function<void()> on_ready;
  };

  [[nodiscard]] Entry* find(std::uint64_t id);
  [[nodiscard]] std::size_t take_place();
  [[nodiscard]] int call_ready(std::chrono::nanoseconds wait);

  int epoll_;
  std::uint64_t added_ = 0;
  std::deque<Entry> entries_;  ///< places stay where they are
  std::vector<std::size_t> free_;
  /// A socket may be removed by its own call: its place is not given away before that has returned.
  std::vector<std::size_t> freed_in_call_;
};

}  // namespace pgfiredrill
