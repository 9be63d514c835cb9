#pragma once

/// PgBouncer's admin console, by libpq's simple protocol (libpqxx refuses it: it reports an old server
/// version). Blocking; worker threads only; one thread at a time. Only SHOW commands: nothing here changes a
/// pooler.
///
/// A login ends within the parameters' connect_timeout, an answer within 3 s from its question, however
/// slowly it trickles; after a failure that is not the console's own "no" the session is gone.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "cluster/connect_parameters.h"

namespace pgfiredrill {

/// A row by column name; NULL is an empty text.
using ConsoleRow = std::map<std::string, std::string>;

class PgbouncerConsole {
 public:
  /// Logs in to the database `pgbouncer` whatever `parameters.database` says.
  [[nodiscard]] static Result<PgbouncerConsole> connect(ConnectParameters parameters,
                                                        const std::string& where);

  PgbouncerConsole(PgbouncerConsole&&) noexcept;
  PgbouncerConsole& operator=(PgbouncerConsole&&) noexcept;
  ~PgbouncerConsole();

  [[nodiscard]] Result<std::string> version();                        ///< "1.24.1"
  [[nodiscard]] Result<std::map<std::string, std::string>> config();  ///< SHOW CONFIG: key → value
  [[nodiscard]] Result<std::vector<ConsoleRow>> databases();
  [[nodiscard]] Result<std::vector<ConsoleRow>> pools();

 private:
  struct Connection;
  explicit PgbouncerConsole(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

}  // namespace pgfiredrill
