#pragma once

/// Logging in by libpq with a deadline for the whole of it, and waiting on its socket. For the room's
/// blocking sessions; worker threads only.

#include <chrono>
#include <memory>
#include <string>

#include "base/failure.h"
#include "cluster/connect_parameters.h"

struct pg_conn;  // libpq's PGconn

namespace pgfiredrill {

struct CloseLibpqConnection {
  void operator()(pg_conn* connection) const noexcept;
};
using LibpqConnection = std::unique_ptr<pg_conn, CloseLibpqConnection>;

/// Begins a login without blocking for more than the resolution of a host name: prints no notices, and lets
/// the text of a refused login carry its SQLSTATE, which libpq does only where it is told at once. Never null
/// while there is memory; its status says whether it went wrong.
[[nodiscard]] LibpqConnection start_libpq_login(const ConnectParameters& parameters);

/// A session that is logged in, prints no notices, and reports errors as libpq does by default. libpq's own
/// connect_timeout counts for each address and not at all in the non-blocking calls: here
/// `parameters.connect_timeout` bounds everything but the resolution of a host name.
[[nodiscard]] Result<LibpqConnection> open_libpq_connection(const ConnectParameters& parameters,
                                                            const std::string& what,
                                                            const std::string& where);

/// Waits for POLLIN, POLLOUT or both (or an error) on `socket`; false where the deadline passed first.
[[nodiscard]] bool wait_for_socket(int socket, short events, std::chrono::steady_clock::time_point deadline);

}  // namespace pgfiredrill
