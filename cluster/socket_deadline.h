#pragma once

/// Ends a blocking exchange on a socket from outside once its time is over.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace pgfiredrill {

/// From construction to `stop`, another thread watches the time and then shuts the socket down, so that
/// whoever reads from it sees its end. For libraries that block without a limit of their own.
class SocketDeadline {
 public:
  /// Keeps a descriptor of its own: the library may close its socket, and somebody else may get its number,
  /// while this watches.
  SocketDeadline(int socket, std::chrono::milliseconds limit);
  ~SocketDeadline();
  SocketDeadline(const SocketDeadline&) = delete;
  SocketDeadline& operator=(const SocketDeadline&) = delete;

  /// Ends the watch; true where the socket had been shut down before. May be called again.
  bool stop();

 private:
  void watch(std::chrono::milliseconds limit);

  int socket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  bool expired_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace pgfiredrill
