#pragma once

/// What went wrong with an operation, as one number that fits a fixed-size record: an SQLSTATE, or a kind of
/// trouble that has none.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pgfiredrill {

/// Trouble without an SQLSTATE. The numbers stand in record files: only ever add.
enum class Trouble : std::uint8_t {
  none = 0,
  refused = 1,             ///< the connection was refused
  reset = 2,               ///< reset by the peer
  closed = 3,              ///< end of file where an answer was due
  unreachable = 4,         ///< no route to host or network
  connect_timeout = 5,     ///< our deadline passed before the TCP connection stood
  login_timeout = 6,       ///< … before the session was ready
  answer_timeout = 7,      ///< … before the answer to a statement came
  tls = 8,                 ///< TLS or its certificate
  misrouted = 9,           ///< a server in recovery answered on a read-write path
  wrong_tag = 10,          ///< success, with another command tag than was due (COMMIT answered by ROLLBACK)
  no_connection = 11,      ///< dropped: every connection of the lane waited for an answer or a login
  late_dispatch = 12,      ///< dropped: our own loop did not get to it before its deadline
  read_only_session = 13,  ///< target_session_attrs refused what the server (or a pooler's memory of it) said
  login_retry = 14,        ///< PgBouncer: server_login_retry, the cached error of an earlier failed login
  query_wait_timeout = 15,   ///< PgBouncer: no server connection within query_wait_timeout
  server_conn_crashed = 16,  ///< PgBouncer: its server connection ended under the client
  protocol = 17,             ///< an answer that makes no sense
  other = 18,
};

[[nodiscard]] const char* to_string(Trouble trouble) noexcept;

class ErrorClass {
 public:
  constexpr ErrorClass() = default;
  constexpr ErrorClass(Trouble trouble) : code_{static_cast<std::uint32_t>(trouble)} {}  // NOLINT: meant
  /// Five characters of A-Z and 0-9; `Trouble::other` for anything else.
  [[nodiscard]] static ErrorClass sqlstate(std::string_view state) noexcept;
  /// As it stands in a record; unknown numbers are kept.
  [[nodiscard]] static ErrorClass from_code(std::uint32_t code) noexcept;

  [[nodiscard]] std::uint32_t code() const noexcept { return code_; }
  [[nodiscard]] bool none() const noexcept { return code_ == 0; }
  [[nodiscard]] bool is(Trouble trouble) const noexcept {
    return code_ == static_cast<std::uint32_t>(trouble);
  }
  [[nodiscard]] bool is_sqlstate(std::string_view state) const noexcept { return sqlstate(state) == *this; }
  /// "25006", "misrouted", "unknown 4711".
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] bool operator==(const ErrorClass&) const = default;
  [[nodiscard]] auto operator<=>(const ErrorClass&) const = default;

 private:
  std::uint32_t code_ = 0;
};

/// Who made an error, as far as it shows. The numbers stand in record files: only ever add.
enum class Layer : std::uint8_t {
  none = 0,
  instrument = 1,  ///< this program or its machine
  network = 2,
  balancer = 3,
  pooler = 4,
  postgres = 5,
  routing = 6,  ///< every part worked, and the session was led to the wrong server
  unknown = 7,
};

[[nodiscard]] const char* to_string(Layer layer) noexcept;

}  // namespace pgfiredrill
