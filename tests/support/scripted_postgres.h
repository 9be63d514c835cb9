#pragma once

/// A server that speaks just enough of PostgreSQL's protocol to be logged in to and asked, and answers what a
/// test scripts: for what a real server does only on a bad day.

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/loopback_server.h"

namespace pgfiredrill::testing {

// Messages as they go over the wire.
[[nodiscard]] std::string wire_rows(const std::vector<std::string>& columns,
                                    const std::vector<std::vector<std::optional<std::string>>>& rows);
/// A binary copy of so many columns, in these pieces.
[[nodiscard]] std::string wire_copy_out(std::size_t columns, const std::vector<std::string>& pieces);
[[nodiscard]] std::string wire_done(const std::string& tag);
[[nodiscard]] std::string wire_error(const std::string& state, const std::string& message,
                                     const std::string& severity = "ERROR");

/// One client after the other, no TLS, no password.
class ScriptedPostgres {
 public:
  /// What goes back for a statement, before ReadyForQuery; nothing: it stays silent from then on. A FATAL
  /// error ends the session, as a server's does.
  using Answer = std::function<std::optional<std::string>(const std::string& sql)>;

  explicit ScriptedPostgres(Answer answer, std::string version = "17.6");

  [[nodiscard]] int port() const noexcept { return server_.port(); }
  /// Every statement that came, in order.
  [[nodiscard]] std::vector<std::string> statements() const;

 private:
  void serve(int socket);
  void log_in(int socket) const;
  [[nodiscard]] std::optional<std::string> answer(const std::string& sql);

  Answer answer_;
  std::string version_;
  mutable std::mutex mutex_;
  std::vector<std::string> statements_;
  LoopbackServer server_;  // last: its thread uses the others
};

}  // namespace pgfiredrill::testing
