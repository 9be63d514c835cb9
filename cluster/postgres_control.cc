// The one file that knows libpqxx: 6.4 (Debian 12) and 7 (7.10 in Debian 13) differ.

#include "cluster/postgres_control.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <libpq-fe.h>
#include <pqxx/pqxx>

#include "base/text.h"
#include "cluster/libpq_connection.h"
#include "cluster/socket_deadline.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using Rows = std::vector<std::vector<std::optional<std::string>>>;

/// How much longer than the server this side waits, so that the server's own cancel comes first.
constexpr milliseconds kGrace{1'000};

#if PQXX_VERSION_MAJOR >= 7

using Connection = pqxx::connection;

std::unique_ptr<Connection> adopt(LibpqConnection libpq) {
  return std::make_unique<Connection>(Connection::seize_raw_connection(libpq.release()));
}

pqxx::result exec_with_values(pqxx::transaction_base& transaction, const std::string& sql,
                              const std::vector<std::string>& values) {
  pqxx::params parameters;
  for (const std::string& value : values) parameters.append(value);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // 7.10 calls it exec, 7.8 (Ubuntu 24.04) has no such
  return transaction.exec_params(sql, parameters);
#pragma GCC diagnostic pop
}

#else

/// Hands libpqxx a session that is logged in already; libpqxx 6 has no other way in.
class Adopted : public pqxx::connectionpolicy {
 public:
  explicit Adopted(LibpqConnection libpq) : pqxx::connectionpolicy{""}, libpq_{std::move(libpq)} {}

  handle do_startconnect(handle current) override {
    if (current != nullptr) return current;
    if (!libpq_) throw pqxx::broken_connection{"the session has ended"};
    return libpq_.release();
  }

 private:
  LibpqConnection libpq_;
};

class Connection : private Adopted, public pqxx::connection_base {
 public:
  explicit Connection(LibpqConnection libpq)
      : Adopted{std::move(libpq)}, pqxx::connection_base{static_cast<Adopted&>(*this)} {
    try {
      init();
    } catch (...) {
      close();  // no destructor runs for what was not constructed
      throw;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // gone in 7, which never reconnects
    inhibit_reactivation(true);
#pragma GCC diagnostic pop
  }
  ~Connection() {
    close();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
};

std::unique_ptr<Connection> adopt(LibpqConnection libpq) {
  return std::make_unique<Connection>(std::move(libpq));
}

pqxx::result exec_with_values(pqxx::transaction_base& transaction, const std::string& sql,
                              const std::vector<std::string>& values) {
  return transaction.exec_params(sql, pqxx::prepare::make_dynamic_params(values));
}

#endif

Rows texts_of(const pqxx::result& result) {
  Rows rows;
  for (const auto& row : result) {
    auto& texts = rows.emplace_back();
    for (const auto& field : row) {
      texts.push_back(field.is_null() ? std::nullopt
                                      : std::optional{std::string{field.c_str(), field.size()}});
    }
  }
  return rows;
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

std::string placeholders(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text += (i == 1 ? "$" : ", $") + std::to_string(i);
  return text;
}

}  // namespace

struct PostgresControl::Session {
  std::unique_ptr<Connection> connection;
  std::string where;
  Secret password;
  milliseconds statement_timeout;

  Result<Rows> ask(const std::string& what, const std::string& sql, const std::vector<std::string>& values);
  Result<Rows> act(const std::string& what, const std::string& sql);

 private:
  template <typename Exchange>
  Result<Rows> within_deadline(const std::string& what, Exchange exchange);
  Rows ask_in_transaction(const std::string& sql, const std::vector<std::string>& values);
  Failure failure(FailureKind kind, const std::string& what, const std::string& came_back,
                  const std::string& hint) const;
  Failure refused(const std::string& what, const pqxx::sql_error& error) const;
  Failure ended(const std::string& what, const std::string& said, bool expired) const;
};

Failure PostgresControl::Session::failure(FailureKind kind, const std::string& what,
                                          const std::string& came_back, const std::string& hint) const {
  return {.kind = kind,
          .what = what,
          .where = where,
          .came_back = scrub(one_line(came_back), {password}),
          .hint = hint,
          .connection_usable = connection->is_open()};
}

Failure PostgresControl::Session::refused(const std::string& what, const pqxx::sql_error& error) const {
  // libpqxx 6 forgets the SQLSTATE of this one.
  const bool unprivileged = dynamic_cast<const pqxx::insufficient_privilege*>(&error) != nullptr;
  const std::string state = unprivileged ? "42501" : error.sqlstate();
  const std::string said = (state.empty() ? "" : state + " ") + error.what();
  if (state == "57014") {
    return failure(FailureKind::timed_out, what, said, "The server is overloaded, or a lock is in the way.");
  }
  if (unprivileged) return failure(FailureKind::denied, what, said, "This needs another database user.");
  return failure(FailureKind::failed, what, said, "");
}

Failure PostgresControl::Session::ended(const std::string& what, const std::string& said,
                                        bool expired) const {
  if (!expired) {
    return failure(FailureKind::failed, what, said,
                   "The server, or a pooler or balancer before it, ended the session: log in again.");
  }
  return failure(FailureKind::timed_out, what,
                 "no answer within " + std::to_string((statement_timeout + kGrace).count()) + " ms",
                 "The server may be frozen or cut off, or a pooler waits for it.");
}

Rows PostgresControl::Session::ask_in_transaction(const std::string& sql,
                                                  const std::vector<std::string>& values) {
  pqxx::read_transaction transaction{*connection};
  transaction.exec("SET LOCAL statement_timeout = " + std::to_string(statement_timeout.count()));
  Rows rows = texts_of(exec_with_values(transaction, sql, values));
  transaction.commit();
  return rows;
}

Result<Rows> PostgresControl::Session::ask(const std::string& what, const std::string& sql,
                                           const std::vector<std::string>& values) {
  if (has_nul(sql) || std::any_of(values.begin(), values.end(), has_nul)) {
    return failure(FailureKind::malformed, what, "there is a NUL byte in it", "");
  }
  return within_deadline(what, [&] { return ask_in_transaction(sql, values); });
}

Result<Rows> PostgresControl::Session::act(const std::string& what, const std::string& sql) {
  if (has_nul(sql)) return failure(FailureKind::malformed, what, "there is a NUL byte in it", "");
  return within_deadline(what, [&] {
    pqxx::nontransaction outside{*connection};
    return texts_of(outside.exec(sql));
  });
}

template <typename Exchange>
Result<Rows> PostgresControl::Session::within_deadline(const std::string& what, Exchange exchange) {
  if (!connection->is_open()) return ended(what, "the session ended at an earlier failure", false);
  SocketDeadline deadline{connection->sock(), statement_timeout + kGrace};
  try {
    return exchange();
  } catch (const pqxx::sql_error& error) {
    if (!deadline.stop() && connection->is_open()) return refused(what, error);
    return ended(what, error.what(), deadline.stop());
  } catch (const std::exception& error) {
    // After a loss libpqxx tells of what it tried next.
    const bool lost = !connection->is_open();
    return ended(what, lost ? "the session ended before a whole answer had come" : error.what(),
                 deadline.stop());
  }
}

PostgresControl::PostgresControl(std::unique_ptr<Session> session) : session_{std::move(session)} {}
PostgresControl::PostgresControl(PostgresControl&&) noexcept = default;
PostgresControl& PostgresControl::operator=(PostgresControl&&) noexcept = default;
PostgresControl::~PostgresControl() = default;

Result<PostgresControl> PostgresControl::connect(ConnectParameters parameters, const std::string& where,
                                                 milliseconds statement_timeout) {
  constexpr milliseconds kLongest{std::numeric_limits<int>::max() / 2};  // the server's own limit is an int
  const std::string what = "log in to PostgreSQL";
  auto libpq = open_libpq_connection(parameters, what, where);
  if (!libpq) return libpq.error();
  auto session = std::make_unique<Session>();
  session->where = where;
  session->password = std::move(parameters.password);
  session->statement_timeout = std::clamp(statement_timeout, milliseconds{1}, kLongest);
  try {
    session->connection = adopt(std::move(*libpq));
  } catch (const std::exception& error) {
    return Failure{.kind = FailureKind::malformed,
                   .what = what,
                   .where = where,
                   .came_back = scrub(one_line(error.what()), {session->password}),
                   .hint = "Is this PostgreSQL, and not PgBouncer's console?"};
  }
  return PostgresControl{std::move(session)};
}

Result<ServerIdentity> PostgresControl::identity() {
  const std::string what = "ask PostgreSQL who it is";
  const auto rows =
      session_->ask(what,
                    "SELECT pg_catalog.pg_is_in_recovery(),"
                    " (extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint,"
                    " pg_catalog.current_setting('server_version_num')",
                    {});
  if (!rows) return rows.error();
  const bool whole = rows->size() == 1 && rows->front().size() == 3;
  const auto text = [&](std::size_t i) { return whole ? rows->front()[i].value_or("") : std::string{}; };
  const auto version = parse_integer(text(2));
  if (text(0).empty() || !parse_integer(text(1)) || !version || *version < 0 ||
      *version > std::numeric_limits<int>::max()) {
    return Failure{.kind = FailureKind::malformed,
                   .what = what,
                   .where = session_->where,
                   .came_back = "an answer of another shape",
                   .hint = "Is this PostgreSQL?"};
  }
  return ServerIdentity{.in_recovery = text(0) == "t",
                        .postmaster_start = text(1),
                        .server_version = static_cast<int>(*version)};
}

Result<std::map<std::string, std::string>> PostgresControl::settings(const std::vector<std::string>& names) {
  std::map<std::string, std::string> settings;
  if (names.empty()) return settings;
  const auto rows = session_->ask(
      "read settings of PostgreSQL",
      "SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN (" + placeholders(names.size()) + ")",
      names);
  if (!rows) return rows.error();
  for (const auto& row : *rows) {
    if (row.size() == 2 && row[0]) settings[*row[0]] = row[1].value_or("");
  }
  return settings;
}

Result<Rows> PostgresControl::query(const std::string& sql, const std::vector<std::string>& values) {
  return session_->ask("ask PostgreSQL '" + one_line(sql, 60) + "'", sql, values);
}

Result<void> PostgresControl::execute(const std::string& what, const std::string& sql) {
  if (const auto rows = session_->act(what, sql); !rows) return rows.error();
  return {};
}

}  // namespace pgfiredrill
