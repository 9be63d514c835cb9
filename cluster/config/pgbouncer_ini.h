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
  std::map<std::string, std::string> options;  ///< host, port, dbname, pool_size, …; without password
};

struct PgbouncerIni {
  std::vector<PgbouncerDatabase> databases;
  /// The [pgbouncer] section, names in lower case. Last one wins, as PgBouncer does it.
  std::map<std::string, std::string> settings;

  [[nodiscard]] std::string setting(const std::string& name) const;  ///< empty where not set
  [[nodiscard]] std::optional<int> listen_port() const;
  [[nodiscard]] std::vector<std::string> list(const std::string& name) const;  ///< comma-separated, trimmed
};

/// Follows PgBouncer's own reading (`;` and `#` comments at line starts, `%include` is reported, not
/// followed; quoted connection values). Fails `malformed` with the line's number, never its text.
[[nodiscard]] Result<PgbouncerIni> parse_pgbouncer_ini(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
