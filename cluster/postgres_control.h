#pragma once

/// A short session with one PostgreSQL (or through an entry point) for questions that are asked once. On
/// libpqxx; never reconnects by itself. Blocking; worker threads only; one thread at a time. A question is a
/// transaction of its own that could not write if it wanted to; what is meant to change something goes
/// through `execute`.
///
/// What ends what, so that nothing hangs:
/// - the login as a whole, whichever layer stays silent: the parameters' connect_timeout (resolving a host
///   *name* is outside of it; the resolver has limits of its own);
/// - a statement that takes too long or waits for a lock: the server, after `statement_timeout`;
/// - a peer that acknowledges packets and never answers (a frozen server, a pooler that waits): this side,
/// one
///   second later, by shutting the socket down;
/// - a peer that has gone from the network: the same, or TCP's own limits if they are shorter.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "cluster/connect_parameters.h"

namespace pgfiredrill {

/// Who answered: the start time of its postmaster tells the servers apart, also through poolers and
/// balancers.
struct ServerIdentity {
  bool in_recovery = false;
  std::string postmaster_start;  ///< microseconds since 1970, as text
  int server_version = 0;        ///< 170006
};

class PostgresControl {
 public:
  /// Every statement is cancelled by the server after `statement_timeout`. It is set by SET LOCAL in each
  /// transaction: PgBouncer refuses options=-c, and with transaction pooling a plain SET would stay behind on
  /// a server connection that applications get next.
  [[nodiscard]] static Result<PostgresControl> connect(ConnectParameters parameters, const std::string& where,
                                                       std::chrono::milliseconds statement_timeout);

  PostgresControl(PostgresControl&&) noexcept;
  PostgresControl& operator=(PostgresControl&&) noexcept;
  ~PostgresControl();

  [[nodiscard]] Result<ServerIdentity> identity();
  /// pg_settings.setting by name, a number in the parameter's own unit; names that the server does not know,
  /// or does not show to this user, are left out.
  [[nodiscard]] Result<std::map<std::string, std::string>> settings(const std::vector<std::string>& names);
  /// One statement (the protocol refuses two), rows of texts; NULL is nullopt. Values only by $1, $2, …
  [[nodiscard]] Result<std::vector<std::vector<std::optional<std::string>>>> query(
      const std::string& sql, const std::vector<std::string>& values = {});
  /// One statement outside of any transaction block (CREATE DATABASE cannot be in one). `what` stands in a
  /// failure's message in place of the statement. The server's own statement_timeout is not changed for it;
  /// this side waits as long as for a question.
  [[nodiscard]] Result<void> execute(const std::string& what, const std::string& sql);

 private:
  struct Session;
  explicit PostgresControl(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace pgfiredrill
