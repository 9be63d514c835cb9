#include "cluster/libpq_connection.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <libpq-fe.h>
#include <poll.h>

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Nobody waits longer than this for a login, whatever was asked for.
constexpr std::chrono::seconds kLongestConnectTimeout{300};

void swallow_notice(void*, const PGresult*) {}

std::string complaint_about(const ConnectParameters& parameters) {
  const std::string* texts[] = {&parameters.host,    &parameters.database, &parameters.user,
                                &parameters.sslmode, &parameters.ca_file,  &parameters.application_name};
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::any_of(std::begin(texts), std::end(texts), [&](auto* text) { return has_nul(*text); }) ||
      has_nul(parameters.password.reveal())) {
    return "a parameter has a NUL byte in it";
  }
  if (parameters.host.empty()) return "no host is given";
  if (parameters.user.empty()) return "no user is given";  // libpq would take the one who runs the program
  // libpq would take it for a list and walk it.
  if (parameters.host.find(',') != std::string::npos) return "the host is a list";
  if (parameters.port < 1 || parameters.port > 65535) return std::to_string(parameters.port) + " is no port";
  if (parameters.sslmode.starts_with("verify-") && parameters.ca_file.empty()) {
    return "sslmode " + parameters.sslmode + " needs a file of trusted authorities";
  }
  return {};
}

/// What the login was waiting for.
const char* stage_of(const PGconn* connection) {
  switch (PQstatus(connection)) {
    case CONNECTION_STARTED:
      return "no answer to the TCP connection";
    case CONNECTION_SSL_STARTUP:
      return "the connection was accepted, but the TLS handshake did not end";
    default:
      return "the connection was accepted, but the login was not answered";
  }
}

Failure timed_out(const PGconn* connection, std::chrono::seconds timeout, const std::string& what,
                  const std::string& where) {
  const bool connected = PQstatus(connection) != CONNECTION_STARTED;
  return {
      .kind = FailureKind::timed_out,
      .what = what,
      .where = where,
      .came_back = std::string{stage_of(connection)} + " within " + std::to_string(timeout.count()) + " s",
      .hint = connected ? "The server may be frozen or overloaded, or a pooler or balancer waits for one."
                        : "The host may be down, or a firewall drops the packets."};
}

/// Takes the login to its end; OK, FAILED, or READING where the deadline passed.
PostgresPollingStatusType finish_login(PGconn* connection, steady_clock::time_point deadline) {
  auto next = PGRES_POLLING_WRITING;
  while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
    // The socket is asked for anew each time: libpq replaces it as it walks a name's addresses.
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!wait_for_socket(PQsocket(connection), events, deadline)) return PGRES_POLLING_READING;
    next = PQconnectPoll(connection);
  }
  return next;
}

}  // namespace

LibpqConnection start_libpq_login(const ConnectParameters& parameters) {
  const auto pairs = libpq_keywords(parameters);
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : pairs) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  LibpqConnection connection{PQconnectStartParams(keywords.data(), values.data(), 1)};
  PQsetNoticeReceiver(connection.get(), swallow_notice, nullptr);
  PQsetErrorVerbosity(connection.get(), PQERRORS_VERBOSE);
  return connection;
}

void CloseLibpqConnection::operator()(pg_conn* connection) const noexcept {
  PQfinish(connection);
}

bool wait_for_socket(int socket, short events, steady_clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd descriptor{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&descriptor, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
}

Result<LibpqConnection> open_libpq_connection(const ConnectParameters& parameters, const std::string& what,
                                              const std::string& where) {
  if (const std::string complaint = complaint_about(parameters); !complaint.empty()) {
    return Failure{.kind = FailureKind::malformed,
                   .what = what,
                   .where = where,
                   .came_back = complaint,
                   .hint = "Correct the address or the credentials it came from."};
  }
  const auto timeout =
      std::clamp(parameters.connect_timeout, std::chrono::seconds{1}, kLongestConnectTimeout);
  const auto deadline = steady_clock::now() + timeout;
  LibpqConnection connection = start_libpq_login(parameters);
  if (PQstatus(connection.get()) != CONNECTION_BAD) {
    const auto end = finish_login(connection.get(), deadline);
    if (end == PGRES_POLLING_READING) return timed_out(connection.get(), timeout, what, where);
  }
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return connect_failure(PQerrorMessage(connection.get()), parameters, what, where);
  }
  PQsetErrorVerbosity(connection.get(), PQERRORS_DEFAULT);
  return connection;
}

}  // namespace pgfiredrill
