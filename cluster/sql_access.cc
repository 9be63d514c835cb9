#include "cluster/sql_access.h"

#include "cluster/pgbouncer_console.h"

namespace pgfiredrill {
namespace {

constexpr std::chrono::milliseconds kStatementTimeout{2'000};

}  // namespace

Result<LoginAnswer> SystemSqlAccess::login(const ConnectParameters& parameters, const std::string& where) {
  const auto before = std::chrono::steady_clock::now();
  auto session = PostgresControl::connect(parameters, where, kStatementTimeout);
  if (!session) return session.error();
  const auto server = session->identity();
  if (!server) return server.error();
  return LoginAnswer{.server = *server,
                     .took = std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::steady_clock::now() - before)};
}

Result<std::map<std::string, std::string>> SystemSqlAccess::settings(const ConnectParameters& parameters,
                                                                     const std::string& where,
                                                                     const std::vector<std::string>& names) {
  auto session = PostgresControl::connect(parameters, where, kStatementTimeout);
  if (!session) return session.error();
  return session->settings(names);
}

Result<PoolerAnswer> SystemSqlAccess::pooler(const ConnectParameters& parameters, const std::string& where) {
  auto console = PgbouncerConsole::connect(parameters, where);
  if (!console) return console.error();
  auto version = console->version();
  if (!version) return version.error();
  auto config = console->config();
  if (!config) return config.error();
  return PoolerAnswer{.version = std::move(*version), .config = std::move(*config)};
}

}  // namespace pgfiredrill
