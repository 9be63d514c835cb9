#pragma once

/// Where and as whom to log in to PostgreSQL or PgBouncer by libpq: every keyword that matters is given, so
/// that PG* variables, .pgpass and service files of whoever runs the program change nothing.

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/secret.h"

namespace pgfiredrill {

struct ConnectParameters {
  std::string host;  ///< address, name, or directory of a Unix socket (begins with a slash)
  int port = 5432;
  std::string database = "postgres";
  std::string user;
  Secret password;
  std::string sslmode = "require";  ///< ignored on Unix sockets
  std::string ca_file;              ///< for verify-ca and verify-full
  std::chrono::seconds connect_timeout{3};
  std::string application_name = "pgfiredrill";
};

/// Keywords and values for PQconnectdbParams and its kin; the values hold the password.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> libpq_keywords(
    const ConnectParameters& parameters);

/// libpq's error text as a failure: kind by what it says (refused, timed out, password, certificate), the
/// text on one line with the password scrubbed.
[[nodiscard]] Failure connect_failure(const std::string& libpq_message, const ConnectParameters& parameters,
                                      const std::string& what, const std::string& where);

}  // namespace pgfiredrill
