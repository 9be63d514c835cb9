#pragma once

/// A TCP server on loopback that does to its first clients whatever a test wants: answer, stay silent, cut
/// off half way.

#include <functional>
#include <string>
#include <thread>

namespace pgfiredrill::testing {

class LoopbackServer {
 public:
  /// `serve` gets each accepted socket, on the server's thread, one after the other; the socket is closed
  /// after it.
  explicit LoopbackServer(std::function<void(int socket)> serve);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  [[nodiscard]] int port() const noexcept { return port_; }

 private:
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

/// A port of loopback on which nobody listens.
[[nodiscard]] int closed_port();

/// Sends all of `text`; for use inside `serve`.
void send_text(int socket, const char* text);
/// Reads until the blank line that ends an HTTP request's head, and returns it.
std::string read_request_head(int socket);

}  // namespace pgfiredrill::testing
