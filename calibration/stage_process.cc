#include "calibration/stage_process.h"

#include <exception>
#include <utility>

#include <sys/epoll.h>

#include "calibration/blackhole.h"
#include "calibration/drop_set.h"
#include "calibration/outage_proxy.h"
#include "calibration/poll_loop.h"
#include "calibration/stage_channel.h"
#include "calibration/stream_sockets.h"
#include "calibration/stub_server.h"

namespace pgfiredrill {
namespace {

using stage_channel::Message;
constexpr const char* kLoopback = "127.0.0.1";

/// One way in that fails on demand.
class LaneDoor {
 public:
  virtual ~LaneDoor() = default;
  [[nodiscard]] virtual const Endpoint& address() const = 0;
  /// The last instant at which nothing had been done yet.
  [[nodiscard]] virtual Result<nanoseconds> begin() = 0;
  /// The first at which all was as before.
  [[nodiscard]] virtual Result<nanoseconds> end() = 0;
};

class ProxyDoor final : public LaneDoor {
 public:
  ProxyDoor(PollLoop& loop, Descriptor listener, Endpoint upstream, OutageKind kind)
      : proxy_{loop, std::move(listener), std::move(upstream)}, kind_{kind} {}

  const Endpoint& address() const override { return proxy_.address(); }
  Result<nanoseconds> begin() override { return proxy_.begin(kind_); }
  Result<nanoseconds> end() override { return proxy_.end(); }

 private:
  OutageProxy proxy_;
  OutageKind kind_;
};

class BlackholeDoor final : public LaneDoor {
 public:
  BlackholeDoor(DropSet& drops, Endpoint address) : drops_{drops}, address_{std::move(address)} {}

  const Endpoint& address() const override { return address_; }
  Result<nanoseconds> begin() override {
    const nanoseconds start = monotonic_now();
    if (auto added = drops_.add(port()); !added) return added.error();
    return start;
  }
  Result<nanoseconds> end() override {
    if (auto removed = drops_.remove(port()); !removed) return removed.error();
    return monotonic_now();
  }

 private:
  [[nodiscard]] std::uint16_t port() const { return static_cast<std::uint16_t>(address_.port); }
  DropSet& drops_;
  Endpoint address_;
};

class StageProcess {
 public:
  StageProcess(const StageOptions& options, const Descriptor& channel, TlsContext tls)
      : options_{options}, channel_{channel}, server_{loop_, std::move(tls)} {}

  Result<void> open();
  void run() { loop_.run(); }

 private:
  Result<void> open_server();
  Result<void> open_lanes();
  Result<void> open_proxy(OutageKind kind);
  Result<void> open_blackhole();
  void announce();
  void on_order();
  void begin_outage(std::size_t lane, std::size_t number);
  void end_outage(std::size_t lane, std::size_t number, nanoseconds start);
  void plan_next(std::size_t lane, std::size_t number);
  void fail(const Failure& failure);

  const StageOptions& options_;
  const Descriptor& channel_;
  PollLoop loop_;
  StubServer server_;
  Endpoint stub_;
  std::optional<DropSet> drops_;
  std::vector<std::unique_ptr<LaneDoor>> doors_;
  nanoseconds began_{0};
};

Result<void> StageProcess::open() {
  if (auto opened = open_server(); !opened) return opened;
  if (auto opened = open_lanes(); !opened) return opened;
  announce();
  (void)loop_.watch(channel_.get(), EPOLLIN, [this](std::uint32_t) { on_order(); });
  return {};
}

Result<void> StageProcess::open_server() {
  auto listener = listen_on({kLoopback, 0});
  if (!listener) return listener.error();
  stub_ = {kLoopback, port_of(*listener)};
  server_.serve(std::move(*listener));
  return {};
}

Result<void> StageProcess::open_lanes() {
  for (const StageLane& lane : options_.lanes) {
    auto opened = lane.kind == OutageKind::blackhole ? open_blackhole() : open_proxy(lane.kind);
    if (!opened) return opened;
  }
  return {};
}

Result<void> StageProcess::open_proxy(OutageKind kind) {
  auto listener = listen_on({kLoopback, 0});
  if (!listener) return listener.error();
  doors_.push_back(std::make_unique<ProxyDoor>(loop_, std::move(*listener), stub_, kind));
  return {};
}

/// The stub listens there itself: a packet that is lost must be lost between client and server.
Result<void> StageProcess::open_blackhole() {
  const auto inside = InsideNamespace::enter(options_.blackhole_name);
  if (!inside) return inside.error();
  if (!drops_) {
    auto opened = DropSet::open(kDropTable, kDropPorts);
    if (!opened) return opened.error();
    drops_ = std::move(*opened);
  }
  auto listener = listen_on({options_.blackhole_address, 0});
  if (!listener) return listener.error();
  const Endpoint address{options_.blackhole_address, port_of(*listener)};
  server_.serve(std::move(*listener));
  doors_.push_back(std::make_unique<BlackholeDoor>(*drops_, address));
  return {};
}

void StageProcess::announce() {
  Message message{.kind = Message::Kind::listening, .numbers = {stub_.port}};
  for (const auto& door : doors_) message.numbers.push_back(door->address().port);
  (void)stage_channel::send(channel_, message);
}

void StageProcess::on_order() {
  const auto received = stage_channel::receive(channel_, nanoseconds{0});
  if (received.gone) return loop_.stop();
  if (!received.message || received.message->kind != Message::Kind::go) return;
  began_ = nanoseconds{received.message->numbers.at(0)};
  for (std::size_t lane = 0; lane < doors_.size(); ++lane) plan_next(lane, 0);
}

void StageProcess::plan_next(std::size_t lane, std::size_t number) {
  const auto& plan = options_.lanes[lane].plan;
  if (number >= plan.size()) return;
  loop_.at(began_ + plan[number].begin, [this, lane, number] { begin_outage(lane, number); });
}

void StageProcess::begin_outage(std::size_t lane, std::size_t number) {
  const auto start = doors_[lane]->begin();
  if (!start) return fail(start.error());
  // Its length counts from when it really began: one that began late is not cut short.
  loop_.at(*start + options_.lanes[lane].plan[number].length,
           [this, lane, number, began = *start] { end_outage(lane, number, began); });
}

void StageProcess::end_outage(std::size_t lane, std::size_t number, nanoseconds start) {
  const auto end = doors_[lane]->end();
  if (!end) return fail(end.error());
  const Message message{.kind = Message::Kind::outage,
                        .numbers = {static_cast<std::int64_t>(lane), start.count(), end->count()}};
  (void)stage_channel::send(channel_, message);
  plan_next(lane, number + 1);
}

void StageProcess::fail(const Failure& failure) {
  (void)stage_channel::send(channel_, {.kind = Message::Kind::failed, .text = failure.message()});
  loop_.stop();
}

}  // namespace

void run_stage_process(const StageOptions& options, const Descriptor& channel) noexcept {
  const auto fail = [&](const std::string& why) {
    (void)stage_channel::send(channel, {.kind = Message::Kind::failed, .text = why});
  };
  try {
    auto tls = make_server_tls();
    if (!tls) return fail(tls.error().message());
    StageProcess process{options, channel, std::move(*tls)};
    if (auto opened = process.open(); !opened) return fail(opened.error().message());
    process.run();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

}  // namespace pgfiredrill
