#pragma once

/// A session that is logged in, asked without blocking, one statement at a time. Knows no event loop: whoever
/// owns it watches `socket()` and calls `advance` when it is ready. One thread at a time; may be handed to
/// another between calls.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/libpq_connection.h"
#include "cluster/session_evidence.h"

namespace pgfiredrill {

/// Sent unnamed, with values apart: poolers with transaction pooling keep no named ones.
struct Statement {
  std::string sql;
  std::vector<std::string> values;  ///< $1, $2, …; no NUL bytes
};

class SessionExchange {
 public:
  /// Nothing at the other end: not good.
  SessionExchange();
  explicit SessionExchange(LibpqConnection logged_in);
  SessionExchange(SessionExchange&&) noexcept;
  SessionExchange& operator=(SessionExchange&&) noexcept;
  /// Closes the session without a word to a statement in flight: a cancel would be one more thing that may or
  /// may not arrive.
  ~SessionExchange();

  [[nodiscard]] int socket() const noexcept;
  /// As far as has been noticed; `advance` on an idle session looks again.
  [[nodiscard]] bool good() const noexcept;
  [[nodiscard]] bool in_flight() const noexcept;
  /// There are bytes left that the socket did not take yet.
  [[nodiscard]] bool wants_write() const noexcept;

  /// Begins an exchange. Where nothing can have left (the session was dead before), the exchange is over at
  /// once with `sent` false.
  void send(const Statement& statement);
  /// Takes what has come and sends what is left. True where the exchange is over: the whole answer is here,
  /// or the session is lost. Without an exchange: true where the session is lost.
  [[nodiscard]] bool advance();
  /// The evidence of the exchange, over or not, and the end of it. What was not over leaves a session that
  /// cannot be used for another: close it.
  [[nodiscard]] StatementEvidence take();
  /// What a server said last while nothing was asked: the FATAL before it closed an idle session.
  [[nodiscard]] std::optional<ServerMessage> last_words() const;
  /// The other end's process as it told at login; 0: unknown.
  [[nodiscard]] int backend_pid() const noexcept;

 private:
  struct Heard;
  void collect_results();
  void note_loss();

  // libpq keeps a pointer to it for notices: stays where it is when the session moves, and outlives it.
  std::unique_ptr<Heard> heard_;
  LibpqConnection connection_;
};

}  // namespace pgfiredrill
