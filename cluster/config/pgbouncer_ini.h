#pragma once

/// pgbouncer.ini as it is deployed; one for each process on a host.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

struct PgbouncerDatabase {
  std::string name;                            ///< "*" for the wildcard
  std::map<std::string, std::string> options;  ///< host, port, dbname, pool_size, …; no password
};

struct PgbouncerIni {
  std::vector<PgbouncerDatabase> databases;  ///< each name once, with what its last line says
  /// The [pgbouncer] section, names in lower case. Last one wins, as PgBouncer does it. Those that may hold a
  /// secret (auth_ldap_options) are kept as "***".
  std::map<std::string, std::string> settings;
  std::vector<std::string> remarks;  ///< `%include` lines, which are not followed; a sentence each

  [[nodiscard]] std::string setting(const std::string& name) const;  ///< empty where not set
  [[nodiscard]] std::optional<int> listen_port() const;
  [[nodiscard]] std::vector<std::string> list(const std::string& name) const;  ///< comma-separated, trimmed
};

/// Follows PgBouncer's own reading: `;` and `#` begin a comment only at a line's start; there is no line
/// continuation; connection values may stand in single quotes, doubled inside. Fails `malformed` with the
/// line's number, never its text.
[[nodiscard]] Result<PgbouncerIni> parse_pgbouncer_ini(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
