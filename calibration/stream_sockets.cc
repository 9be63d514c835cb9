#include "calibration/stream_sockets.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace pgfiredrill {
namespace {

/// Below net.ipv4.ip_local_port_range as every distribution has it.
constexpr int kFirstPort = 21'000;
constexpr int kLastPort = 31'999;
constexpr int kBacklog = 1024;

sockaddr_in socket_address(const Endpoint& endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(endpoint.port));
  ::inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr);
  return address;
}

const sockaddr* generic(const sockaddr_in& address) {
  return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

bool try_listen(int socket, const Endpoint& endpoint) {
  const sockaddr_in address = socket_address(endpoint);
  return ::bind(socket, generic(address), sizeof address) == 0 && ::listen(socket, kBacklog) == 0;
}

Descriptor listening_socket(const Endpoint& address) {
  Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (!try_listen(socket.get(), address)) socket = Descriptor{};
  return socket;
}

Descriptor listen_on_free_port(const std::string& host) {
  // From a place of its own, so that two programs do not meet at each port.
  const int span = kLastPort - kFirstPort + 1;
  const int begin = ::getpid() * 64 % span;
  for (int i = 0; i < span; ++i) {
    if (auto socket = listening_socket({host, kFirstPort + (begin + i) % span}); socket.open()) {
      return socket;
    }
    if (errno != EADDRINUSE) break;
  }
  return {};
}

}  // namespace

Result<Descriptor> listen_on(const Endpoint& address) {
  auto socket = address.port != 0 ? listening_socket(address) : listen_on_free_port(address.host);
  if (socket.open()) return socket;
  return Failure{.kind = FailureKind::failed,
                 .what = "listen for connections",
                 .where = address.host + ":" + std::to_string(address.port),
                 .came_back = std::strerror(errno)};
}

int port_of(const Descriptor& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener.get(), static_cast<sockaddr*>(static_cast<void*>(&address)), &size);
  return ntohs(address.sin_port);
}

std::optional<Descriptor> accept_from(int listener) {
  Descriptor socket{::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!socket.open()) return std::nullopt;
  set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  return socket;
}

std::optional<Descriptor> connect_to(const Endpoint& endpoint) {
  Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  const sockaddr_in address = socket_address(endpoint);
  if (::connect(socket.get(), generic(address), sizeof address) != 0 && errno != EINPROGRESS) {
    return std::nullopt;
  }
  set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  return socket;
}

void reset_connection(Descriptor& socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket = Descriptor{};
}

}  // namespace pgfiredrill
