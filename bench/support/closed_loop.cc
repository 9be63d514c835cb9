#include "bench/support/closed_loop.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include <unistd.h>

#include "drivers/connector.h"
#include "drivers/pooled_lane.h"

namespace pgfiredrill::bench {
namespace {

using std::chrono::seconds;

constexpr seconds kLogins{20};

class CountingWriter final : public OperationWriter {
 public:
  explicit CountingWriter(std::unique_ptr<OperationWriter> writer) : writer_{std::move(writer)} {}

  void append(const Operation& operation) noexcept override {
    if (operation.kind == RecordKind::done) ++(operation.acknowledged() ? acknowledged : others);
    writer_->append(operation);
  }

  // Of the traffic loop's thread, read when it has nothing more to do.
  std::size_t acknowledged = 0;
  std::size_t others = 0;

 private:
  std::unique_ptr<OperationWriter> writer_;
};

Failure failure(const std::string& came_back) {
  return {
      .kind = FailureKind::failed, .what = "drive the ledger", .where = "127.0.0.1", .came_back = came_back};
}

class ClosedLoop {
 public:
  ClosedLoop(const ClosedLoopOptions& options, Recorder& recorder, std::unique_ptr<OperationWriter> writer)
      : options_{options},
        path_{path_of(options)},
        recorder_{recorder},
        writer_{std::move(writer)},
        loop_{"traffic", recorder, clock_},
        connector_{"connector-0", recorder, clock_} {
    const std::vector<double> phases(static_cast<std::size_t>(options.sessions), 0.0);
    lane_ = std::make_unique<PooledLane>(
        LaneJournal{path_, 0, writer_, shared_}, sockets_, phases,
        [this](nanoseconds limit, bool probe, std::function<void(OpenedSession)> handler) {
          open(limit, probe, std::move(handler));
        });
    loop_.watch(sockets_.descriptor(),
                [this](std::chrono::steady_clock::time_point next_tick) { sockets_.dispatch(next_tick); });
    loop_.start_ticking([this](nanoseconds now) { lane_->tick(now); });
  }

  ~ClosedLoop() {
    connector_.loop().stop();
    loop_.stop();
  }
  ClosedLoop(const ClosedLoop&) = delete;
  ClosedLoop& operator=(const ClosedLoop&) = delete;

  Result<ClosedLoopEnd> run() {
    if (const std::string trouble = log_in(); !trouble.empty()) return failure(trouble);
    const nanoseconds begin = clock_.monotonic();
    loop_.call([this] { lane_->start_closed_loop(numbers_); });
    clock_.sleep_for(options_.duration);
    loop_.call([this] { lane_->stop(); });
    const nanoseconds end = clock_.monotonic();
    while (!loop_.call([this] { return lane_->settled(); })) clock_.sleep_for(std::chrono::milliseconds{1});
    if (writer_.others > 0) return failure(std::to_string(writer_.others) + " writes were not acknowledged");
    return ClosedLoopEnd{.acknowledged = writer_.acknowledged,
                         .elapsed_s = std::chrono::duration<double>{end - begin}.count()};
  }

 private:
  static TrafficPath path_of(const ClosedLoopOptions& options) {
    TrafficPath path;
    path.id = "ledger";
    path.entrypoint = "127.0.0.1:" + std::to_string(options.port);
    path.addresses = {{"127.0.0.1", options.port}};
    path.depth = options.depth;
    path.purpose = Purpose::ledger;
    path.deadline = seconds{10};
    return path;
  }

  void open(nanoseconds limit, bool probe, std::function<void(OpenedSession)> handler) {
    const TrafficAccess& access = options_.access;
    OpenRequest request{
        .targets = login_targets(path_, access.database, access.user, access.password, access.sslmode),
        .depth = path_.depth,
        .limit = limit,
        .probe = probe,
        .read_write = true};
    connector_.open(std::move(request), [this, handler = std::move(handler)](OpenedSession opened) {
      const auto shared = std::make_shared<OpenedSession>(std::move(opened));
      loop_.post([handler, shared] { handler(std::move(*shared)); });
    });
  }

  /// The first trouble; empty: every session stands.
  std::string log_in() {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t left = lane_->session_count();
    std::string first;
    loop_.call([&] {
      lane_->warm_up(kLogins, [&](const std::string& trouble) {
        const std::lock_guard lock{mutex};
        if (first.empty()) first = trouble;
        --left;
        changed.notify_all();
      });
    });
    std::unique_lock lock{mutex};
    changed.wait(lock, [&] { return left == 0; });
    return first;
  }

  ClosedLoopOptions options_;
  TrafficPath path_;
  SystemClock clock_;
  Recorder& recorder_;
  CountingWriter writer_;
  ServerTable servers_{recorder_};
  ErrorSamples samples_{recorder_, options_.access.password};
  TrafficLedgers shared_{clock_, servers_, samples_, false};
  LedgerNumbers numbers_;
  SocketSet sockets_;
  EventLoop loop_;
  Connector connector_;
  std::unique_ptr<PooledLane> lane_;
};

}  // namespace

Result<ClosedLoopEnd> run_closed_loop(const ClosedLoopOptions& options) {
  const std::string folder = "/var/tmp/pgfiredrill-bench-record-" + std::to_string(::getpid());
  SystemClock clock;
  Result<ClosedLoopEnd> end = failure("nothing was begun");
  {
    auto recorder = Recorder::create(folder, clock);
    if (!recorder) return recorder.error();
    auto writer = (*recorder)->open_operations("traffic");
    if (!writer) return writer.error();
    end = ClosedLoop{options, **recorder, std::move(*writer)}.run();
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return end;
}

}  // namespace pgfiredrill::bench
