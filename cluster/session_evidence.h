#pragma once

/// What a session saw of a login or a statement: everything that is needed to say later what became of it,
/// and no judgement. Plain data.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pgfiredrill {

/// An error or notice of a server or pooler.
struct ServerMessage {
  std::string severity;  ///< never translated: ERROR, FATAL, PANIC, WARNING, …
  std::string sqlstate;
  std::string text;  ///< primary message, in the server's language
  /// Where in the server's source it was raised, which no language changes; empty from poolers.
  std::string source_function;

  [[nodiscard]] bool ends_session() const { return severity == "FATAL" || severity == "PANIC"; }
};

enum class LoginStage : std::uint8_t {
  connecting,      ///< the TCP connection did not stand yet
  negotiating,     ///< it stood; TLS did not yet, or the peer's first answer was awaited
  authenticating,  ///< whoever ends TLS (or, without TLS, the peer) had the start-up packet
  ready,
};

struct LoginEvidence {
  LoginStage stage = LoginStage::connecting;
  bool deadline_passed = false;
  std::string sqlstate;  ///< of the refusal, where one was sent
  std::string text;      ///< libpq's, on one line, without the password

  [[nodiscard]] bool ready() const { return stage == LoginStage::ready; }
};

using Row = std::vector<std::optional<std::string>>;

struct StatementEvidence {
  bool sent = false;  ///< bytes of it may have left
  bool deadline_passed = false;
  std::string command_tag;  ///< of the last result that had one
  std::vector<Row> rows;
  std::optional<ServerMessage> error;  ///< the first with an SQLSTATE
  std::vector<ServerMessage> notices;
  std::string transport_text;  ///< libpq's own complaint where the session was lost, on one line
  /// ReadyForQuery came, outside of any transaction, and the session is still good.
  bool ended_cleanly = false;
};

}  // namespace pgfiredrill
