#pragma once

/// A short session with one PostgreSQL (or through an entry point) for questions that are asked once. On
/// libpqxx; never reconnects by itself. Blocking; worker threads only; one thread at a time.

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
  /// Every statement is cancelled by the server after `statement_timeout` (set by SET, not by options=-c,
  /// which PgBouncer refuses).
  [[nodiscard]] static Result<PostgresControl> connect(ConnectParameters parameters, const std::string& where,
                                                       std::chrono::milliseconds statement_timeout);

  PostgresControl(PostgresControl&&) noexcept;
  PostgresControl& operator=(PostgresControl&&) noexcept;
  ~PostgresControl();

  [[nodiscard]] Result<ServerIdentity> identity();
  /// pg_settings by name; names that the server does not know are left out.
  [[nodiscard]] Result<std::map<std::string, std::string>> settings(const std::vector<std::string>& names);
  /// One statement, rows of texts; NULL is nullopt. Values only by $1, $2, …
  [[nodiscard]] Result<std::vector<std::vector<std::optional<std::string>>>> query(
      const std::string& sql, const std::vector<std::string>& values = {});

 private:
  struct Session;
  explicit PostgresControl(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace pgfiredrill
