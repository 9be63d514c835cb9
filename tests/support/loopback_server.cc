#include "tests/support/loopback_server.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pgfiredrill::testing {
namespace {

std::pair<int, int> bound_socket() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, generic, size) != 0 || ::getsockname(socket, generic, &size) != 0) {
    throw std::runtime_error{"cannot bind a port of loopback"};
  }
  return {socket, ntohs(address.sin_port)};
}

}  // namespace

LoopbackServer::LoopbackServer(std::function<void(int)> serve) {
  std::tie(listener_, port_) = bound_socket();
  ::listen(listener_, 8);
  thread_ = std::thread{[listener = listener_, serve = std::move(serve)] {
    for (int client = 0; (client = ::accept(listener, nullptr, nullptr)) >= 0;) {
      serve(client);
      ::close(client);
    }
  }};
}

LoopbackServer::~LoopbackServer() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

int closed_port() {
  const auto [socket, port] = bound_socket();
  ::close(socket);
  return port;
}

void send_text(int socket, const char* text) {
  (void)!::send(socket, text, std::strlen(text), MSG_NOSIGNAL);
}

std::string read_request_head(int socket) {
  std::string head;
  char byte = 0;
  while (!head.ends_with("\r\n\r\n") && ::recv(socket, &byte, 1, 0) == 1) head += byte;
  return head;
}

}  // namespace pgfiredrill::testing
