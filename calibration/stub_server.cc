#include "calibration/stub_server.h"

#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "calibration/stream_sockets.h"
#include "calibration/stub_protocol.h"

namespace pgfiredrill {
namespace {

struct FreeTls {
  void operator()(SSL* tls) const noexcept { SSL_free(tls); }
};

enum class Io : std::uint8_t { done, again, lost };

constexpr std::size_t kReadBytes = 16'384;

Io io_of(ssize_t result) {
  if (result > 0) return Io::done;
  return result < 0 && (errno == EAGAIN || errno == EINTR) ? Io::again : Io::lost;
}

}  // namespace

/// One client. In the clear until it asks for TLS.
class StubServer::Session {
 public:
  Session(PollLoop& loop, Descriptor socket, SSL_CTX* tls_context, std::uint32_t number,
          std::function<void()> on_end)
      : loop_{loop},
        socket_{std::move(socket)},
        tls_context_{tls_context},
        protocol_{number},
        on_end_{std::move(on_end)} {
    watched_ = loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { on_ready(); });
  }
  ~Session() { loop_.forget(watched_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  void on_ready() {
    if (!advance()) {
      const auto on_end = on_end_;  // this session, and with it the member, is gone when that returns
      return on_end();
    }
    loop_.change(watched_, EPOLLIN | (unsent_.empty() ? 0U : static_cast<std::uint32_t>(EPOLLOUT)));
  }

  [[nodiscard]] bool advance() {
    if (!send_left()) return false;
    while (true) {
      std::array<char, kReadBytes> bytes;
      std::size_t count = 0;
      const Io io = read(bytes, count);
      if (io == Io::lost) return false;
      if (io == Io::again) return true;
      received_.append(bytes.data(), count);
      const auto next = protocol_.advance(received_, unsent_);
      if (next == StubProtocol::Next::close || !send_left()) return false;
      if (next == StubProtocol::Next::start_tls && !start_tls()) return false;
    }
  }

  /// What came behind the request cannot be trusted, and nobody honest sends it.
  [[nodiscard]] bool start_tls() {
    if (tls_ || !received_.empty() || !unsent_.empty()) return false;
    tls_.reset(SSL_new(tls_context_));
    SSL_set_fd(tls_.get(), socket_.get());
    SSL_set_accept_state(tls_.get());
    return true;
  }

  [[nodiscard]] Io tls_io(int succeeded) {
    if (succeeded == 1) return Io::done;
    const int error = SSL_get_error(tls_.get(), succeeded);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? Io::again : Io::lost;
  }

  [[nodiscard]] Io read(std::array<char, kReadBytes>& bytes, std::size_t& count) {
    if (tls_) return tls_io(SSL_read_ex(tls_.get(), bytes.data(), bytes.size(), &count));
    const ssize_t result = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (result > 0) count = static_cast<std::size_t>(result);
    return io_of(result);
  }

  [[nodiscard]] Io write(std::size_t& count) {
    if (tls_) return tls_io(SSL_write_ex(tls_.get(), unsent_.data(), unsent_.size(), &count));
    const ssize_t result = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (result > 0) count = static_cast<std::size_t>(result);
    return io_of(result);
  }

  [[nodiscard]] bool send_left() {
    while (!unsent_.empty()) {
      std::size_t count = 0;
      const Io io = write(count);
      if (io != Io::done) return io == Io::again;
      unsent_.erase(0, count);
    }
    return true;
  }

  PollLoop& loop_;
  Descriptor socket_;
  SSL_CTX* tls_context_;
  std::unique_ptr<SSL, FreeTls> tls_;
  StubProtocol protocol_;
  std::function<void()> on_end_;
  std::uint64_t watched_ = 0;
  std::string received_;
  std::string unsent_;
};

StubServer::StubServer(PollLoop& loop, TlsContext tls) : loop_{loop}, tls_{std::move(tls)} {}

StubServer::~StubServer() {
  for (const auto& [watched, listener] : listeners_) loop_.forget(watched);
}

void StubServer::serve(Descriptor listener) {
  const int number = listener.get();
  const auto watched = loop_.watch(number, EPOLLIN, [this, number](std::uint32_t) { accept_all(number); });
  listeners_.emplace(watched, std::move(listener));
}

void StubServer::accept_all(int listener) {
  while (auto socket = accept_from(listener)) {
    const std::uint32_t number = ++last_session_;
    sessions_.emplace(number, std::make_unique<Session>(loop_, std::move(*socket), tls_.get(), number,
                                                        [this, number] { end(number); }));
  }
}

void StubServer::end(std::uint32_t session) {
  sessions_.erase(session);
}

}  // namespace pgfiredrill
