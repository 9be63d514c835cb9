#pragma once

/// The sockets of all pooled sessions as one descriptor: an epoll set of its own costs an operation a third
/// less than a wait of the event loop's for each. One thread.

#include <cstdint>
#include <functional>
#include <map>

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

  /// Calls those that are ready, without waiting.
  void dispatch();

 private:
  struct Entry {
    int socket = -1;
    bool wants_write = false;
    std::function<void()> on_ready;
  };

  int epoll_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace pgfiredrill
