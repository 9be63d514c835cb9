#pragma once

/// A session with PostgreSQL or PgBouncer on an event loop: login and statements with a deadline for the
/// whole of each, and what was seen as evidence. Never blocks, but for the resolution of a host *name* (give
/// addresses), and for the 4 to 7 ms of CPU that one step of a login with TLS and SCRAM burns: keep logins
/// off the loops whose times matter, and hand the session over.
///
/// Everything is called on the loop's thread. Handlers are called on it too, never from within the call that
/// took them, and never after the session's destruction; they may destroy the session.

#include <chrono>
#include <functional>
#include <memory>

#include "cluster/connect_parameters.h"
#include "cluster/session_evidence.h"
#include "cluster/session_exchange.h"

namespace boost::asio {
class io_context;
}

namespace pgfiredrill {

class PostgresSession {
 public:
  explicit PostgresSession(boost::asio::io_context& loop);
  ~PostgresSession();
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;

  /// Once. `parameters.connect_timeout` is not looked at: `limit` holds for all of it. `parameters.host` is
  /// one host: whoever has a list walks it, an attempt each.
  void log_in(const ConnectParameters& parameters, std::chrono::nanoseconds limit,
              std::function<void(const LoginEvidence&)> handler);
  /// After a login that ended ready, or `attach`. One at a time. Where the deadline passed the session is of
  /// no use any more.
  void execute(const Statement& statement, std::chrono::nanoseconds limit,
               std::function<void(StatementEvidence)> handler);

  /// Lets go of the session that is logged in: for another loop.
  [[nodiscard]] SessionExchange detach();
  void attach(SessionExchange exchange);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace pgfiredrill
