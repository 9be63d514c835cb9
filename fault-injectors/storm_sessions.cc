#include "fault-injectors/storm_sessions.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "cluster/postgres_session.h"

namespace pgfiredrill::fault {
namespace {

using std::chrono::seconds;

constexpr std::size_t kThreads = 2;
/// A login burns milliseconds of CPU here: all at once they would starve whoever measures.
constexpr int kLoginsAtOnce = 4;
constexpr seconds kLoginLimit{15};
/// Longer than a pooler keeps a statement waiting.
constexpr seconds kStatementLimit{3'600};
constexpr seconds kBeforeNextTry{5};
constexpr int kNice = 10;

/// Short, so that it answers at once where it is served.
constexpr const char* kFirstStatement = "SELECT 1";
/// Sleeping: a statement that works would outlive a postmaster that is killed. As long as a server may take
/// to notice that nobody listens any more.
constexpr const char* kBusyStatement = "SELECT pg_catalog.pg_sleep(5)";

enum class Standing : unsigned char { begun, waiting, served, refused };

}  // namespace

class StormSessions::Tally {
 public:
  explicit Tally(int sessions) { count_.begun = sessions; }

  void move(Standing from, Standing to) {
    const std::lock_guard lock{mutex_};
    --of(from);
    ++of(to);
  }

  void refuse(Standing from, std::string refusal) {
    move(from, Standing::refused);
    const std::lock_guard lock{mutex_};
    count_.refusal = std::move(refusal);
  }

  [[nodiscard]] StormCount count() const {
    const std::lock_guard lock{mutex_};
    return count_;
  }

 private:
  int& of(Standing standing) {
    switch (standing) {
      case Standing::waiting:
        return count_.waiting;
      case Standing::served:
        return count_.served;
      case Standing::refused:
        return count_.refused;
      case Standing::begun:
        break;
    }
    return count_.begun;
  }

  mutable std::mutex mutex_;
  StormCount count_;
};

class StormSessions::Loop {
 public:
  Loop(const ConnectParameters& way_in, int sessions, Tally& tally) : way_in_{way_in}, tally_{tally} {
    for (int i = 0; i < sessions; ++i) slots_.push_back(std::make_unique<Slot>(context_));
    for (const auto& slot : slots_) to_log_in_.push_back(slot.get());
    boost::asio::post(context_, [this] { log_in_next(); });
    thread_ = std::thread{[this] {
      (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
      context_.run();
    }};
  }

  ~Loop() {
    context_.stop();
    thread_.join();
    slots_.clear();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

 private:
  struct Slot {
    explicit Slot(boost::asio::io_context& context) : timer{context} {}
    std::unique_ptr<PostgresSession> session;
    boost::asio::steady_timer timer;
    Standing standing = Standing::begun;
  };

  void move(Slot& slot, Standing to) { tally_.move(std::exchange(slot.standing, to), to); }

  void log_in_next() {
    while (logging_in_ < kLoginsAtOnce && !to_log_in_.empty()) {
      Slot& slot = *to_log_in_.front();
      to_log_in_.pop_front();
      ++logging_in_;
      slot.session = std::make_unique<PostgresSession>(context_);
      slot.session->log_in(way_in_, kLoginLimit,
                           [this, &slot](const LoginEvidence& evidence) { on_login(slot, evidence); });
    }
  }

  void on_login(Slot& slot, const LoginEvidence& evidence) {
    --logging_in_;
    if (evidence.ready()) {
      move(slot, Standing::waiting);
      execute(slot, kFirstStatement);
    } else {
      refuse(slot, evidence.deadline_passed ? "no answer to a login" : evidence.text);
    }
    log_in_next();
  }

  void execute(Slot& slot, const char* sql) {
    slot.session->execute({.sql = sql, .values = {}}, kStatementLimit,
                          [this, &slot](const StatementEvidence& evidence) { on_answer(slot, evidence); });
  }

  void on_answer(Slot& slot, const StatementEvidence& evidence) {
    if (!evidence.ended_cleanly || evidence.error) {
      return refuse(slot, evidence.error ? evidence.error->text : evidence.transport_text);
    }
    if (slot.standing != Standing::served) move(slot, Standing::served);
    execute(slot, kBusyStatement);
  }

  void refuse(Slot& slot, const std::string& why) {
    tally_.refuse(std::exchange(slot.standing, Standing::refused), one_line(why));
    slot.session.reset();
    slot.timer.expires_after(kBeforeNextTry);
    slot.timer.async_wait([this, &slot](const boost::system::error_code& error) {
      if (error) return;
      to_log_in_.push_back(&slot);
      log_in_next();
    });
  }

  ConnectParameters way_in_;
  Tally& tally_;
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<Slot*> to_log_in_;
  int logging_in_ = 0;
  std::thread thread_;
};

StormSessions::StormSessions(const ConnectParameters& way_in, int sessions)
    : tally_{std::make_unique<Tally>(sessions)} {
  const int threads = std::min(static_cast<int>(kThreads), sessions);
  for (int i = 0; i < threads; ++i) {
    const int share = sessions / threads + (i < sessions % threads ? 1 : 0);
    loops_.push_back(std::make_unique<Loop>(way_in, share, *tally_));
  }
}

StormSessions::~StormSessions() = default;

StormCount StormSessions::count() const {
  return tally_->count();
}

}  // namespace pgfiredrill::fault
