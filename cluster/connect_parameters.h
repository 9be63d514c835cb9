#pragma once

/// Where and as whom to log in to PostgreSQL or PgBouncer by libpq: every keyword that has an environment
/// variable or a file behind it is given, so that PG* variables, .pgpass, ~/.postgresql and the contents of
/// service files of whoever runs the program change nothing.
///
/// What no keyword can ward off is left to `forget_libpq_environment`: PGSERVICE naming a service that does
/// not exist fails every connection, and PGTZ, PGDATESTYLE and PGGEQO go into the start-up packet, which
/// PgBouncer then refuses.

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/secret.h"

namespace pgfiredrill {

struct ConnectParameters {
  std::string host;  ///< one address, name, or directory of a Unix socket (begins with a slash)
  int port = 5432;
  std::string database = "postgres";
  std::string user;
  Secret password;
  std::string sslmode = "require";  ///< ignored on Unix sockets
  std::string ca_file;              ///< for verify-ca and verify-full; with require it is verified too
  std::chrono::seconds connect_timeout{3};
  std::string application_name = "pgfiredrill";
  std::string target_session_attrs = "any";  ///< libpq checks it at the end of the login
};

/// Keywords and values for PQconnectdbParams and its kin, which must be called with expand_dbname = 1: the
/// first dbname is a constant connection string that sets keywords to nothing (an empty value in the arrays
/// means "not given" to libpq, and lets the environment in). The values hold the password. Keywords that the
/// libpq of this machine does not know are left out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> libpq_keywords(
    const ConnectParameters& parameters);

/// The SQLSTATE in "FATAL:  28P01: …", whatever the severity's language, as libpq writes it with
/// PQERRORS_VERBOSE; empty where there is none.
[[nodiscard]] std::string_view sqlstate_in(std::string_view libpq_message);

/// The message without libpq's indented advice, which guesses, and without the place in the server's source.
[[nodiscard]] std::string without_advice(const std::string& libpq_message);

/// Removes every variable that libpq reads from this process's environment. Once, in main, before any thread.
void forget_libpq_environment();

/// libpq's error text as a failure: kind by what it says (refused, timed out, password, certificate), the
/// text on one line with the password scrubbed. The server's part of the text may be in its own language:
/// where the connection was made with PQERRORS_VERBOSE, its SQLSTATE is looked at first.
[[nodiscard]] Failure connect_failure(const std::string& libpq_message, const ConnectParameters& parameters,
                                      const std::string& what, const std::string& where);

}  // namespace pgfiredrill
