#include "drivers/login_storm.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "drivers/connector.h"
#include "drivers/event_loop.h"
#include "drivers/login_walk.h"
#include "drivers/statements.h"

namespace pgfiredrill {
namespace {

using std::chrono::steady_clock;

/// Of a login and its statement.
constexpr nanoseconds kLimit = std::chrono::seconds{5};
constexpr nanoseconds kGrace = std::chrono::seconds{2};
/// A refusal costs nearly nothing: without an end a slot would spin on it.
constexpr int kFailuresInARow = 20;

constexpr const char* kRoomQuestion =
    "SELECT current_setting('max_connections'), "
    "(SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend')";

struct Room {
  int max_connections = 0;
  int in_use = 0;
};

double thread_cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::vector<ConnectParameters> targets_of(const LoginStorm& storm) {
  const TrafficAccess& access = storm.access;
  return login_targets(storm.path, access.database, access.user, access.password, access.sslmode);
}

int number_of(const Row& row, std::size_t column) {
  if (column >= row.size() || !row[column]) return 0;
  return std::atoi(row[column]->c_str());
}

/// Sessions one after the other in each of its slots, on one thread.
class StormLoop {
 public:
  StormLoop(const LoginStorm& storm, std::size_t number, Recorder& recorder, Clock& clock)
      : loop_{"login-storm-" + std::to_string(number), recorder, clock}, targets_{targets_of(storm)} {}

  ~StormLoop() {
    loop_.stop();
    slots_.clear();
  }
  StormLoop(const StormLoop&) = delete;
  StormLoop& operator=(const StormLoop&) = delete;

  /// One session, asked how much room its server has.
  Result<Room> ask_room() {
    std::promise<Result<Room>> answer;
    auto future = answer.get_future();
    loop_.post([&] {
      Slot& slot = add_slot();
      slot.walk->start(kLimit, [&](LoginEnd end) {
        if (!end.session) return answer.set_value(no_room(end.evidence.text));
        slot.session = std::move(end.session);
        slot.session->execute({.sql = kRoomQuestion, .values = {}}, kLimit,
                              [&](StatementEvidence evidence) { answer.set_value(read_room(evidence)); });
      });
    });
    auto room = future.get();  // each step has its own limit
    loop_.call([this] { slots_.clear(); });
    return room;
  }

  void start(int slots, steady_clock::time_point until) {
    loop_.call([&] {
      until_ = until;
      cpu_before_ = thread_cpu_seconds();
      busy_ = slots;
      for (int i = 0; i < slots; ++i) log_in(add_slot());
      if (busy_ == 0) idle_.set_value();
    });
  }

  /// What ended in time counts; what is still under way is given up.
  void take_into(LoginRate& rate) {
    (void)ended_.wait_until(until_ + kLimit + kGrace);
    loop_.call([&] {
      rate.logins += logins_;
      rate.failed += failed_;
      rate.driver_cpu_s += thread_cpu_seconds() - cpu_before_;
    });
  }

 private:
  struct Slot {
    std::unique_ptr<LoginWalk> walk;
    std::unique_ptr<PostgresSession> session;
    int failures_in_a_row = 0;
  };

  static Failure no_room(const std::string& came_back) {
    return {.what = "ask how many sessions a server has room for", .came_back = one_line(came_back)};
  }

  static Result<Room> read_room(const StatementEvidence& evidence) {
    if (evidence.rows.empty() || !evidence.ended_cleanly) {
      return no_room(evidence.error ? evidence.error->text : evidence.transport_text);
    }
    return Room{number_of(evidence.rows[0], 0), number_of(evidence.rows[0], 1)};
  }

  Slot& add_slot() {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->walk = std::make_unique<LoginWalk>(loop_.context(), targets_);
    return *slots_.back();
  }

  void log_in(Slot& slot) {
    slot.session.reset();
    slot.walk = std::make_unique<LoginWalk>(loop_.context(), targets_);
    slot.walk->start(kLimit, [this, &slot](LoginEnd end) { on_login(slot, std::move(end)); });
  }

  void on_login(Slot& slot, LoginEnd end) {
    if (!end.session) return on_end(slot, false);
    slot.session = std::move(end.session);
    slot.session->execute(canary_statement(0, 0, false), kLimit,
                          [this, &slot](const StatementEvidence& evidence) {
                            on_end(slot, evidence.ended_cleanly && !evidence.error);
                          });
  }

  void on_end(Slot& slot, bool good) {
    const bool in_time = steady_clock::now() < until_;
    if (in_time) ++(good ? logins_ : failed_);
    slot.failures_in_a_row = good ? 0 : slot.failures_in_a_row + 1;
    if (in_time && slot.failures_in_a_row < kFailuresInARow) return log_in(slot);
    slot.session.reset();
    if (--busy_ == 0) idle_.set_value();
  }

  EventLoop loop_;  // first: the sessions use it to their end
  std::vector<ConnectParameters> targets_;
  steady_clock::time_point until_;
  std::promise<void> idle_;
  std::future<void> ended_ = idle_.get_future();
  // On the loop's thread:
  double cpu_before_ = 0;
  int busy_ = 0;
  std::size_t logins_ = 0;
  std::size_t failed_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
};

int threads_for(int concurrency) {
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::min({kStormThreads, cores, concurrency});
}

}  // namespace

int bounded_concurrency(int wanted, int max_connections, int in_use) noexcept {
  const int half_of_the_rest = std::max(0, max_connections - in_use) / 2;
  return std::min({wanted, kMostStormSessions, half_of_the_rest});
}

Result<LoginRate> storm_logins(const LoginStorm& storm, Recorder& recorder, Clock& clock) {
  const auto room = StormLoop{storm, 0, recorder, clock}.ask_room();
  if (!room) return room.error();
  const int concurrency = bounded_concurrency(storm.concurrency, room->max_connections, room->in_use);
  if (concurrency < 1) {
    return Failure{.kind = FailureKind::failed,
                   .what = "log in as fast as it goes",
                   .where = storm.path.entrypoint,
                   .came_back = std::to_string(room->in_use) + " of " +
                                std::to_string(room->max_connections) + " connections are in use",
                   .hint = "Leave room, or do without reconnect_capacity."};
  }
  LoginRate rate{.concurrency = concurrency,
                 .threads = threads_for(concurrency),
                 .max_connections = room->max_connections};
  std::vector<std::unique_ptr<StormLoop>> loops;
  for (int i = 0; i < rate.threads; ++i) {
    loops.push_back(std::make_unique<StormLoop>(storm, static_cast<std::size_t>(i), recorder, clock));
  }
  const auto begin = steady_clock::now();
  for (int i = 0; i < rate.threads; ++i) {
    const int slots = concurrency / rate.threads + (i < concurrency % rate.threads ? 1 : 0);
    loops[static_cast<std::size_t>(i)]->start(slots, begin + storm.duration);
  }
  for (const auto& loop : loops) loop->take_into(rate);
  rate.over_s = to_seconds(storm.duration);
  return rate;
}

}  // namespace pgfiredrill
