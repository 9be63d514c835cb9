#include "drivers/traffic.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "drivers/connector.h"
#include "drivers/fresh_lane.h"
#include "drivers/pooled_lane.h"
#include "drivers/session_plan.h"

namespace pgfiredrill {
namespace {

/// Between calling a start and the first operation: every loop has heard of it by then.
constexpr nanoseconds kLead = std::chrono::milliseconds{50};
constexpr nanoseconds kPoll = std::chrono::milliseconds{5};
/// How late an outcome may come after its deadline: a tick, and a machine that is busy.
constexpr nanoseconds kGrace = std::chrono::seconds{1};

/// Counts the logins of a warm-up as they end, on whatever thread.
class WarmUp {
 public:
  explicit WarmUp(std::size_t expected) : left_{expected} {}

  void on_end(const std::string& path, const std::string& trouble) {
    const std::lock_guard lock{mutex_};
    if (!trouble.empty()) troubles_.emplace(path, trouble);
    if (left_ > 0) --left_;
    changed_.notify_all();
  }

  std::vector<PathTrouble> wait(nanoseconds limit) {
    std::unique_lock lock{mutex_};
    const bool all = changed_.wait_for(lock, limit, [this] { return left_ == 0; });
    std::vector<PathTrouble> troubles;
    for (const auto& [path, text] : troubles_) troubles.push_back({path, text});
    if (!all) troubles.push_back({"", "not every login came to an end"});
    return troubles;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t left_;
  std::map<std::string, std::string> troubles_;  ///< the first of each path
};

class TrafficEngine final : public Traffic {
 public:
  TrafficEngine(TrafficOptions options, Recorder& recorder, Clock& clock);
  ~TrafficEngine() override;

  Result<void> open_files();
  void make_lanes();

  std::vector<PathTrouble> warm_up(nanoseconds deadline) override;
  void start(std::uint16_t first_stream) override;
  void stop() override;
  void disconnect() override;

 private:
  struct PooledPath {
    const TrafficPath* path;
    std::unique_ptr<PooledLane> lane;
  };
  struct FreshPath {
    const TrafficPath* path;
    Connector* connector;
    std::unique_ptr<FreshLane> lane;
  };

  void make_pooled_lane(std::uint16_t number, int sessions);
  void make_fresh_lane(std::uint16_t number, std::size_t connector);
  [[nodiscard]] std::vector<double> take_phases(int sessions);
  [[nodiscard]] OpenRequest request_for(const TrafficPath& path, nanoseconds limit, bool probe) const;
  void open_pooled(const TrafficPath& path, nanoseconds limit, bool probe,
                   std::function<void(OpenedSession)> handler);
  void warm_up_pooled(nanoseconds deadline, const std::shared_ptr<WarmUp>& warm_up);
  void warm_up_fresh(nanoseconds deadline, const std::shared_ptr<WarmUp>& warm_up);
  void on_tick(nanoseconds now);
  void start_ticking();
  [[nodiscard]] nanoseconds first_due(const TrafficPath& path, nanoseconds start) const;
  [[nodiscard]] bool settled();
  [[nodiscard]] nanoseconds longest_deadline() const;

  TrafficOptions options_;
  Recorder& recorder_;
  Clock& clock_;
  ServerTable servers_;
  ErrorSamples samples_;
  TrafficLedgers shared_;
  LedgerNumbers numbers_;
  std::unique_ptr<OperationWriter> traffic_writer_;
  std::vector<std::unique_ptr<OperationWriter>> connector_writers_;

  SocketSet sockets_;
  EventLoop traffic_loop_;
  std::vector<std::unique_ptr<Connector>> connectors_;
  std::size_t next_connector_ = 0;  ///< on the traffic loop
  std::size_t phases_taken_ = 0;
  std::vector<PooledPath> pooled_;
  std::vector<FreshPath> fresh_;
};

TrafficEngine::TrafficEngine(TrafficOptions options, Recorder& recorder, Clock& clock)
    : options_{std::move(options)},
      recorder_{recorder},
      clock_{clock},
      servers_{recorder},
      samples_{recorder, options_.access.password},
      shared_{clock, servers_, samples_, options_.synchronous_promised},
      traffic_loop_{"traffic", recorder, clock} {
  for (int i = 0; i < std::max(1, options_.connector_threads); ++i) {
    connectors_.push_back(std::make_unique<Connector>("connector-" + std::to_string(i), recorder, clock));
  }
}

TrafficEngine::~TrafficEngine() {
  // Connectors first: they call lanes.
  for (const auto& connector : connectors_) connector->loop().stop();
  traffic_loop_.stop();
  fresh_.clear();
  pooled_.clear();
}

Result<void> TrafficEngine::open_files() {
  auto traffic = recorder_.open_operations("traffic");
  if (!traffic) return traffic.error();
  traffic_writer_ = std::move(*traffic);
  for (std::size_t i = 0; i < connectors_.size(); ++i) {
    auto writer = recorder_.open_operations("connector-" + std::to_string(i));
    if (!writer) return writer.error();
    connector_writers_.push_back(std::move(*writer));
  }
  return {};
}

void TrafficEngine::make_lanes() {
  const std::vector<int> sessions =
      plan_sessions(options_.paths, options_.pool_mode, options_.ledger_connections);
  std::size_t fresh = 0;
  for (std::size_t i = 0; i < options_.paths.size(); ++i) {
    const TrafficPath& path = options_.paths[i];
    if (path.addresses.empty()) continue;
    const auto number = static_cast<std::uint16_t>(i);
    if (path.session == SessionKind::fresh) {
      make_fresh_lane(number, fresh++ % connectors_.size());
    } else {
      make_pooled_lane(number, sessions[i]);
    }
  }
  start_ticking();
}

std::vector<double> TrafficEngine::take_phases(int sessions) {
  // The golden ratio spreads any number of them evenly.
  constexpr double kGolden = 0.6180339887498949;
  std::vector<double> phases;
  for (int i = 0; i < sessions; ++i) {
    const double turns = static_cast<double>(phases_taken_++) * kGolden;
    phases.push_back(turns - static_cast<double>(static_cast<std::int64_t>(turns)));
  }
  return phases;
}

void TrafficEngine::make_pooled_lane(std::uint16_t number, int sessions) {
  const TrafficPath& path = options_.paths[number];
  const auto open = [this, &path](nanoseconds limit, bool probe, std::function<void(OpenedSession)> handler) {
    open_pooled(path, limit, probe, std::move(handler));
  };
  LaneJournal journal{path, number, *traffic_writer_, shared_};
  pooled_.push_back(
      {&path, std::make_unique<PooledLane>(std::move(journal), sockets_, take_phases(sessions), open)});
}

void TrafficEngine::make_fresh_lane(std::uint16_t number, std::size_t connector) {
  const TrafficPath& path = options_.paths[number];
  LaneJournal journal{path, number, *connector_writers_[connector], shared_};
  auto lane = std::make_unique<FreshLane>(connectors_[connector]->loop().context(), std::move(journal),
                                          request_for(path, {}, false).targets);
  fresh_.push_back({&path, connectors_[connector].get(), std::move(lane)});
}

void TrafficEngine::start_ticking() {
  traffic_loop_.watch(sockets_.descriptor(), [this](std::chrono::steady_clock::time_point next_tick) {
    sockets_.dispatch(next_tick);
  });
  traffic_loop_.start_ticking([this](nanoseconds now) { on_tick(now); });
  for (const auto& connector : connectors_) {
    connector->loop().start_ticking([this, mine = connector.get()](nanoseconds now) {
      for (const FreshPath& fresh : fresh_) {
        if (fresh.connector == mine) fresh.lane->tick(now);
      }
    });
  }
}

void TrafficEngine::on_tick(nanoseconds now) {
  for (const PooledPath& pooled : pooled_) pooled.lane->tick(now);
}

OpenRequest TrafficEngine::request_for(const TrafficPath& path, nanoseconds limit, bool probe) const {
  const TrafficAccess& access = options_.access;
  return {.targets = login_targets(path, access.database, access.user, access.password, access.sslmode),
          .depth = path.depth,
          .limit = limit,
          .probe = probe,
          .read_write = path.access == Access::read_write};
}

void TrafficEngine::open_pooled(const TrafficPath& path, nanoseconds limit, bool probe,
                                std::function<void(OpenedSession)> handler) {
  Connector& connector = *connectors_[next_connector_++ % connectors_.size()];
  connector.open(request_for(path, limit, probe), [this, handler = std::move(handler)](OpenedSession opened) {
    const auto shared = std::make_shared<OpenedSession>(std::move(opened));
    traffic_loop_.post([handler, shared] { handler(std::move(*shared)); });
  });
}

void TrafficEngine::warm_up_pooled(nanoseconds deadline, const std::shared_ptr<WarmUp>& warm_up) {
  traffic_loop_.post([this, deadline, warm_up] {
    for (const PooledPath& pooled : pooled_) {
      pooled.lane->warm_up(deadline, [warm_up, id = pooled.path->id](const std::string& trouble) {
        warm_up->on_end(id, trouble);
      });
    }
  });
}

void TrafficEngine::warm_up_fresh(nanoseconds deadline, const std::shared_ptr<WarmUp>& warm_up) {
  for (const FreshPath& fresh : fresh_) {
    fresh.connector->open(request_for(*fresh.path, deadline, true),
                          [this, warm_up, id = fresh.path->id](const OpenedSession& opened) {
                            const bool good = opened.trouble.error.none();
                            warm_up->on_end(id, good ? "" : samples_.describe(opened.trouble, opened.text));
                          });
  }
}

std::vector<PathTrouble> TrafficEngine::warm_up(nanoseconds deadline) {
  std::size_t logins = fresh_.size();
  for (const PooledPath& pooled : pooled_) logins += pooled.lane->session_count();
  const auto warm_up = std::make_shared<WarmUp>(logins);
  warm_up_pooled(deadline, warm_up);
  warm_up_fresh(deadline, warm_up);
  return warm_up->wait(deadline + kGrace);
}

nanoseconds TrafficEngine::first_due(const TrafficPath& path, nanoseconds start) const {
  // Evenly spread over an interval, so that the lanes' operations do not all fall into the same millisecond.
  const auto index = static_cast<nanoseconds::rep>(&path - options_.paths.data());
  return start + path.interval() * index / static_cast<nanoseconds::rep>(options_.paths.size());
}

void TrafficEngine::start(std::uint16_t first_stream) {
  const nanoseconds begin = clock_.monotonic() + kLead;
  traffic_loop_.call([&] {
    numbers_.set_first_stream(first_stream);
    for (const PooledPath& pooled : pooled_) {
      const bool ledger = pooled.path->purpose == Purpose::ledger;
      pooled.lane->start(first_due(*pooled.path, begin), ledger ? &numbers_ : nullptr);
    }
  });
  for (const FreshPath& fresh : fresh_) {
    fresh.connector->loop().call([&] { fresh.lane->start(first_due(*fresh.path, begin)); });
  }
  recorder_.add(
      {.kind = event::kTrafficStarted, .at = begin, .fields = {{"thread", std::string{"traffic"}}}});
}

bool TrafficEngine::settled() {
  const bool pooled = traffic_loop_.call([this] {
    return std::all_of(pooled_.begin(), pooled_.end(), [](const auto& one) { return one.lane->settled(); });
  });
  return pooled && std::all_of(fresh_.begin(), fresh_.end(), [](const auto& one) {
           return one.connector->loop().call([&] { return one.lane->settled(); });
         });
}

nanoseconds TrafficEngine::longest_deadline() const {
  nanoseconds longest{0};
  for (const TrafficPath& path : options_.paths) longest = std::max(longest, path.deadline);
  return longest;
}

void TrafficEngine::stop() {
  traffic_loop_.call([this] {
    for (const PooledPath& pooled : pooled_) pooled.lane->stop();
  });
  for (const FreshPath& fresh : fresh_) fresh.connector->loop().call([&] { fresh.lane->stop(); });
  const nanoseconds end = clock_.monotonic();
  while (!settled() && clock_.monotonic() < end + longest_deadline() + kGrace) clock_.sleep_for(kPoll);
  recorder_.add({.kind = event::kTrafficStopped, .at = end, .fields = {{"thread", std::string{"traffic"}}}});
}

void TrafficEngine::disconnect() {
  traffic_loop_.call([this] {
    for (const PooledPath& pooled : pooled_) pooled.lane->disconnect();
  });
}

}  // namespace

Result<std::unique_ptr<Traffic>> Traffic::create(TrafficOptions options, Recorder& recorder, Clock& clock) {
  auto engine = std::make_unique<TrafficEngine>(std::move(options), recorder, clock);
  if (auto opened = engine->open_files(); !opened) return opened.error();
  engine->make_lanes();
  return std::unique_ptr<Traffic>{std::move(engine)};
}

}  // namespace pgfiredrill
