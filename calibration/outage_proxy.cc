#include "calibration/outage_proxy.h"

#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

#include "calibration/stream_sockets.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kReadBytes = 16'384;

bool would_block() {
  return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
}

}  // namespace

/// Both directions of one connection.
class OutageProxy::Relay {
 public:
  Relay(PollLoop& loop, Descriptor client, Descriptor server, std::function<void()> on_end)
      : loop_{loop}, client_{std::move(client)}, server_{std::move(server)}, on_end_{std::move(on_end)} {}
  ~Relay() { hold(); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// What comes meanwhile stays with the kernel, which acknowledges it.
  void hold() {
    loop_.forget(client_.watched);
    loop_.forget(server_.watched);
  }
  void let_go() {
    client_.watched =
        loop_.watch(client_.socket.get(), events_of(client_), [this](std::uint32_t) { on_ready(); });
    server_.watched =
        loop_.watch(server_.socket.get(), events_of(server_), [this](std::uint32_t) { on_ready(); });
  }
  void reset() {
    hold();
    reset_connection(client_.socket);
    reset_connection(server_.socket);
  }

 private:
  struct Side {
    explicit Side(Descriptor its_socket) : socket{std::move(its_socket)} {}
    Descriptor socket;
    std::uint64_t watched = 0;
    std::string unsent;  ///< what came from the other side
  };

  static std::uint32_t events_of(const Side& side) {
    return EPOLLIN | (side.unsent.empty() ? 0U : static_cast<std::uint32_t>(EPOLLOUT));
  }

  void on_ready() {
    if (!carry(client_, server_) || !carry(server_, client_)) {
      const auto on_end = on_end_;  // this relay, and with it the member, is gone when that returns
      return on_end();
    }
    loop_.change(client_.watched, events_of(client_));
    loop_.change(server_.watched, events_of(server_));
  }

  /// False where either side has ended: PostgreSQL's sessions end as a whole.
  static bool carry(Side& from, Side& to) {
    if (!send_left(to)) return false;
    while (to.unsent.empty()) {
      std::array<char, kReadBytes> bytes;
      const ssize_t count = ::recv(from.socket.get(), bytes.data(), bytes.size(), 0);
      if (count == 0) return false;
      if (count < 0) return would_block();
      to.unsent.assign(bytes.data(), static_cast<std::size_t>(count));
      if (!send_left(to)) return false;
    }
    return true;
  }

  static bool send_left(Side& to) {
    while (!to.unsent.empty()) {
      const ssize_t count = ::send(to.socket.get(), to.unsent.data(), to.unsent.size(), MSG_NOSIGNAL);
      if (count < 0) return would_block();
      to.unsent.erase(0, static_cast<std::size_t>(count));
    }
    return true;
  }

  PollLoop& loop_;
  Side client_;
  Side server_;
  std::function<void()> on_end_;
};

OutageProxy::OutageProxy(PollLoop& loop, Descriptor listener, Endpoint upstream)
    : loop_{loop},
      listener_{std::move(listener)},
      address_{.host = "127.0.0.1", .port = port_of(listener_)},
      upstream_{std::move(upstream)} {
  open_door();
}

OutageProxy::~OutageProxy() {
  loop_.forget(watched_);
}

void OutageProxy::open_door() {
  watched_ = loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); });
}

void OutageProxy::accept_all() {
  while (auto client = accept_from(listener_.get())) {
    auto server = door_ == Door::resetting ? std::nullopt : connect_to(upstream_);
    if (!server) {
      reset_connection(*client);
      continue;
    }
    const std::uint64_t number = ++last_relay_;
    auto relay = std::make_unique<Relay>(loop_, std::move(*client), std::move(*server),
                                         [this, number] { end_relay(number); });
    relay->let_go();
    relays_.emplace(number, std::move(relay));
  }
}

void OutageProxy::end_relay(std::uint64_t number) {
  relays_.erase(number);
}

void OutageProxy::reset_all() {
  for (const auto& [number, relay] : relays_) relay->reset();
  relays_.clear();
}

nanoseconds OutageProxy::begin(OutageKind kind) {
  const nanoseconds start = monotonic_now();
  switch (kind) {
    case OutageKind::refuse:
      loop_.forget(watched_);
      listener_ = Descriptor{};
      reset_all();
      door_ = Door::closed;
      break;
    case OutageKind::reset:
      door_ = Door::resetting;
      reset_all();
      break;
    case OutageKind::delay:
      loop_.forget(watched_);
      for (const auto& [number, relay] : relays_) relay->hold();
      door_ = Door::held;
      break;
    case OutageKind::blackhole:
      break;
  }
  return start;
}

Result<nanoseconds> OutageProxy::end() {
  const Door was = std::exchange(door_, Door::open);
  if (was == Door::closed) {
    auto again = listen_on(address_);
    if (!again) return again.error();
    listener_ = std::move(*again);
  }
  if (was == Door::closed || was == Door::held) open_door();
  if (was == Door::held) {
    for (const auto& [number, relay] : relays_) relay->let_go();
  }
  return monotonic_now();
}

}  // namespace pgfiredrill
