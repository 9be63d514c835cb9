#include "cluster/pgbouncer_console.h"

#include <optional>
#include <utility>

#include <libpq-fe.h>
#include <poll.h>

#include "base/text.h"
#include "cluster/libpq_connection.h"

namespace pgfiredrill {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kAnswerDeadline{3};
/// A console answers with a few hundred lines; who sends more than this is none.
constexpr std::size_t kLargestAnswer = 16u << 20;

struct FreeResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, FreeResult>;

bool is_row(const PGresult* result) {
  return PQresultStatus(result) == PGRES_SINGLE_TUPLE;
}

bool is_good_end(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

ConsoleRow row_of(const PGresult* result) {
  ConsoleRow row;
  for (int column = 0; column < PQnfields(result); ++column) {
    row[PQfname(result, column)] = PQgetvalue(result, 0, column);
  }
  return row;
}

std::size_t size_of(const ConsoleRow& row) {
  std::size_t size = 0;
  for (const auto& [name, value] : row) size += name.size() + value.size() + 64;
  return size;
}

}  // namespace

struct PgbouncerConsole::Connection {
  LibpqConnection libpq;
  std::string where;
  Secret password;

  Result<std::vector<ConsoleRow>> show(const std::string& topic);

 private:
  [[nodiscard]] bool send(const std::string& command, steady_clock::time_point deadline);
  [[nodiscard]] bool wait_for_result(steady_clock::time_point deadline);
  Failure failure(FailureKind kind, const std::string& topic, const std::string& came_back,
                  const std::string& hint) const;
  Failure refused(const std::string& topic, const PGresult* result);
  Failure lost(const std::string& topic, steady_clock::time_point deadline);
};

Failure PgbouncerConsole::Connection::failure(FailureKind kind, const std::string& topic,
                                              const std::string& came_back, const std::string& hint) const {
  return {.kind = kind,
          .what = "ask the PgBouncer console to SHOW " + topic,
          .where = where,
          .came_back = scrub(one_line(came_back, 300), {password}),
          .hint = hint};
}

/// Sends a command without ever blocking on a peer that does not read.
bool PgbouncerConsole::Connection::send(const std::string& command, steady_clock::time_point deadline) {
  if (PQsendQuery(libpq.get(), command.c_str()) == 0) return false;
  PQsetSingleRowMode(libpq.get());
  while (true) {
    const int left = PQflush(libpq.get());
    if (left <= 0) return left == 0;
    if (!wait_for_socket(PQsocket(libpq.get()), POLLIN | POLLOUT, deadline)) return false;
    if (PQconsumeInput(libpq.get()) == 0) return false;
  }
}

/// Whether PQgetResult would not block.
bool PgbouncerConsole::Connection::wait_for_result(steady_clock::time_point deadline) {
  while (PQisBusy(libpq.get()) != 0) {
    if (!wait_for_socket(PQsocket(libpq.get()), POLLIN, deadline)) return false;
    if (PQconsumeInput(libpq.get()) == 0) return false;
  }
  // A peer that never stops sending is never waited for.
  return steady_clock::now() < deadline;
}

/// The session is given up: what may still come would be taken for the next answer.
Failure PgbouncerConsole::Connection::lost(const std::string& topic, steady_clock::time_point deadline) {
  const std::string said = PQerrorMessage(libpq.get());
  libpq.reset();
  if (steady_clock::now() >= deadline) {
    return failure(FailureKind::timed_out, topic,
                   "no whole answer within " + std::to_string(kAnswerDeadline.count()) + " s",
                   "PgBouncer may be frozen or overloaded.");
  }
  return failure(FailureKind::failed, topic, said, "PgBouncer may have been stopped or restarted.");
}

Failure PgbouncerConsole::Connection::refused(const std::string& topic, const PGresult* result) {
  const std::string said = PQresultErrorMessage(result);
  const bool denied = said.find("not allowed") != std::string::npos;
  Failure refusal = failure(denied ? FailureKind::denied : FailureKind::failed, topic, said,
                            denied ? "See admin_users and stats_users in pgbouncer.ini." : "");
  refusal.connection_usable = PQstatus(libpq.get()) == CONNECTION_OK;
  return refusal;
}

Result<std::vector<ConsoleRow>> PgbouncerConsole::Connection::show(const std::string& topic) {
  if (!libpq) {
    return failure(FailureKind::failed, topic, "the session ended at an earlier failure", "Log in again.");
  }
  const auto deadline = steady_clock::now() + kAnswerDeadline;
  if (!send("SHOW " + topic, deadline)) return lost(topic, deadline);

  std::vector<ConsoleRow> rows;
  std::optional<Failure> refusal;
  std::size_t size = 0;
  while (true) {
    if (!wait_for_result(deadline)) return lost(topic, deadline);
    const ResultPtr result{PQgetResult(libpq.get())};
    if (!result) break;
    if (is_row(result.get())) {
      rows.push_back(row_of(result.get()));
      size += size_of(rows.back());
    } else if (!is_good_end(result.get()) && !refusal) {
      refusal = refused(topic, result.get());
    }
    if (size > kLargestAnswer || PQresultStatus(result.get()) == PGRES_COPY_OUT ||
        PQresultStatus(result.get()) == PGRES_COPY_IN || PQresultStatus(result.get()) == PGRES_COPY_BOTH) {
      libpq.reset();
      return failure(FailureKind::malformed, topic, "an answer that is no list of settings",
                     "Is this PgBouncer's console?");
    }
  }
  if (PQstatus(libpq.get()) != CONNECTION_OK) return lost(topic, deadline);
  if (refusal) return *refusal;
  return rows;
}

PgbouncerConsole::PgbouncerConsole(std::unique_ptr<Connection> connection)
    : connection_{std::move(connection)} {}
PgbouncerConsole::PgbouncerConsole(PgbouncerConsole&&) noexcept = default;
PgbouncerConsole& PgbouncerConsole::operator=(PgbouncerConsole&&) noexcept = default;
PgbouncerConsole::~PgbouncerConsole() = default;

Result<PgbouncerConsole> PgbouncerConsole::connect(ConnectParameters parameters, const std::string& where) {
  parameters.database = "pgbouncer";
  auto libpq = open_libpq_connection(parameters, "log in to the PgBouncer console", where);
  if (!libpq) return libpq.error();
  PQsetnonblocking(libpq->get(), 1);
  auto connection = std::make_unique<Connection>();
  connection->libpq = std::move(*libpq);
  connection->where = where;
  connection->password = std::move(parameters.password);
  return PgbouncerConsole{std::move(connection)};
}

Result<std::string> PgbouncerConsole::version() {
  constexpr std::string_view kName = "PgBouncer ";
  const auto rows = connection_->show("VERSION");
  if (!rows) return rows.error();
  const auto found = rows->size() == 1 ? rows->front().find("version") : ConsoleRow::const_iterator{};
  if (rows->size() != 1 || found == rows->front().end()) {
    return Failure{.kind = FailureKind::malformed,
                   .what = "ask the PgBouncer console for its version",
                   .where = connection_->where,
                   .came_back = "an answer without one",
                   .hint = "PgBouncer 1.12 or later is needed."};
  }
  std::string_view version = trim(found->second);
  if (version.starts_with(kName)) version.remove_prefix(kName.size());
  return std::string{version};
}

Result<std::map<std::string, std::string>> PgbouncerConsole::config() {
  auto rows = connection_->show("CONFIG");
  if (!rows) return rows.error();
  std::map<std::string, std::string> settings;
  for (const ConsoleRow& row : *rows) {
    const auto key = row.find("key");
    const auto value = row.find("value");
    if (key == row.end() || value == row.end()) {
      return Failure{.kind = FailureKind::malformed,
                     .what = "ask the PgBouncer console to SHOW CONFIG",
                     .where = connection_->where,
                     .came_back = "rows without the columns key and value",
                     .hint = "Is this PgBouncer's console?"};
    }
    settings[key->second] = value->second;
  }
  return settings;
}

Result<std::vector<ConsoleRow>> PgbouncerConsole::databases() {
  return connection_->show("DATABASES");
}

Result<std::vector<ConsoleRow>> PgbouncerConsole::pools() {
  return connection_->show("POOLS");
}

}  // namespace pgfiredrill
