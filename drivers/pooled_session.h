#pragma once

/// One kept session of a pooled lane: whether it stands, when to log in again. Reconnects at once when it is
/// lost, then each second. On the traffic loop's thread.

#include <cstdint>
#include <functional>
#include <optional>

#include "base/clock.h"
#include "cluster/session_exchange.h"
#include "drivers/connector.h"
#include "drivers/pending_operation.h"
#include "drivers/socket_set.h"

namespace pgfiredrill {

enum class SessionState : std::uint8_t {
  closed,      ///< and meant to be
  waiting,     ///< for its next attempt
  connecting,  ///< at a connector
  idle,
  busy,  ///< an operation is in flight
};

/// When a session that could not be had is tried again: a second after the attempt began. The first wait is
/// shorter by a share of its own, so that the sessions of a run that were lost together do not all log in in
/// the same moment of each second.
[[nodiscard]] nanoseconds next_attempt(nanoseconds last_attempt, int attempts_failed, double phase);

class PooledSession {
 public:
  /// `on_ready` is called whenever its socket has something, `phase` is in [0, 1).
  PooledSession(SocketSet& sockets, double phase, std::function<void()> on_ready);
  ~PooledSession();
  PooledSession(const PooledSession&) = delete;
  PooledSession& operator=(const PooledSession&) = delete;

  [[nodiscard]] SessionState state() const noexcept { return state_; }
  [[nodiscard]] bool attempt_due(nanoseconds now) const noexcept {
    return state_ == SessionState::waiting && now >= attempt_at_;
  }

  /// Now connecting; the number tells its session from that of an attempt given up since.
  [[nodiscard]] std::uint64_t begin_attempt(nanoseconds now);
  [[nodiscard]] bool awaits(std::uint64_t attempt) const noexcept {
    return state_ == SessionState::connecting && attempt == attempt_;
  }
  void attempt_succeeded(SessionExchange exchange);
  void attempt_failed(nanoseconds now);

  /// From idle to busy.
  void send(PendingOperation operation, const Statement& statement);
  /// For `on_ready`: true where something ended: the exchange in flight, or an idle session.
  [[nodiscard]] bool advance();
  [[nodiscard]] const PendingOperation& operation() const { return *operation_; }
  /// The operation and what came of it. Idle again where that ended cleanly; else lost, to be had again at
  /// once.
  struct Finished {
    PendingOperation operation;
    StatementEvidence evidence;
  };
  [[nodiscard]] Finished finish(bool deadline_passed, nanoseconds now);

  [[nodiscard]] std::optional<ServerMessage> last_words() const { return exchange_.last_words(); }
  /// The session is lost: log in again at once.
  void lose(nanoseconds now);
  /// Closed, and not had again until `reopen`. Not while busy.
  void close();
  void reopen(nanoseconds now);

 private:
  void disconnect();

  SocketSet& sockets_;
  double phase_;
  std::function<void()> on_ready_;
  SessionState state_ = SessionState::closed;
  nanoseconds attempt_at_{0};
  nanoseconds last_attempt_{0};
  int attempts_failed_ = 0;
  std::uint64_t attempt_ = 0;
  SessionExchange exchange_;
  std::uint64_t socket_id_ = 0;
  std::optional<PendingOperation> operation_;
};

}  // namespace pgfiredrill
