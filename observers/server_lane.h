#pragma once

/// Asks one server how it is, again and again, over a session that is kept: logs in at once where it is lost,
/// then each second. On one loop's thread; only the opening of a way through SSH blocks, on a thread of its
/// own.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "cluster/connect_parameters.h"
#include "cluster/postgres_session.h"
#include "cluster/superuser_session.h"
#include "observers/server_way.h"
#include "observers/state_journal.h"

namespace boost::asio {
class io_context;
}

namespace pgfiredrill {

struct ObservedServer {
  std::string member;  ///< Patroni's name of it
  std::string host;    ///< inventory name of its host; empty: unknown, SSH does not lead there
  ConnectParameters direct;
};

/// Blocking: a thread of the lane's own calls it.
using OpenRoute = std::function<Result<SuperuserRoute>(const std::string& member)>;

class ServerLane {
 public:
  /// All but `server` must outlive it.
  ServerLane(boost::asio::io_context& loop, ObservedServer server, const OpenRoute& open_route,
             Recorder& recorder, Clock& clock);
  /// Not while the loop runs. Waits for SSH where it is under way.
  ~ServerLane();
  ServerLane(const ServerLane&) = delete;
  ServerLane& operator=(const ServerLane&) = delete;

  /// The next question is due, or the next attempt to log in. A question that hangs is waited for: it ends by
  /// its own deadline.
  void tick();

 private:
  enum class State : std::uint8_t { waiting, opening_route, logging_in, idle, asking };

  void attempt();
  void open_route();
  void route_opened(Result<SuperuserRoute> opened);
  void log_in(const ConnectParameters& parameters);
  void logged_in(const LoginEvidence& evidence);
  void attempt_failed(const std::string& reason);
  void ask();
  void answered(const StatementEvidence& evidence);
  void lose_session();

  boost::asio::io_context& loop_;
  const ObservedServer server_;
  const OpenRoute& open_route_;
  Clock& clock_;
  StateJournal journal_;
  WayChoice way_;
  State state_ = State::waiting;
  std::optional<PostgresSession> session_;
  std::optional<SuperuserRoute> route_;
  nanoseconds attempt_due_{0};
  nanoseconds attempted_at_{0};
  nanoseconds asked_at_{0};
  std::thread opener_;
};

}  // namespace pgfiredrill
