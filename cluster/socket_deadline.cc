#include "cluster/socket_deadline.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pgfiredrill {

SocketDeadline::SocketDeadline(int socket, std::chrono::milliseconds limit)
    : socket_{::fcntl(socket, F_DUPFD_CLOEXEC, 0)}, thread_{[this, limit] { watch(limit); }} {}

SocketDeadline::~SocketDeadline() {
  stop();
  if (socket_ >= 0) ::close(socket_);
}

void SocketDeadline::watch(std::chrono::milliseconds limit) {
  std::unique_lock lock{mutex_};
  if (changed_.wait_for(lock, limit, [this] { return stopped_; })) return;
  expired_ = true;
  ::shutdown(socket_, SHUT_RDWR);
}

bool SocketDeadline::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  return expired_;
}

}  // namespace pgfiredrill
