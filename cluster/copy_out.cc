#include "cluster/copy_out.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <libpq-fe.h>

#include "cluster/libpq_connection.h"
#include "cluster/socket_deadline.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;

/// How much longer than the server this side waits, so that the server's own cancel comes first.
constexpr milliseconds kGrace{1'000};
constexpr milliseconds kLongest{std::numeric_limits<int>::max() / 2};  // the server's own limit is an int

struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using LibpqResult = std::unique_ptr<PGresult, ClearResult>;

struct FreeBytes {
  void operator()(char* bytes) const noexcept { PQfreemem(bytes); }
};

class Copy {
 public:
  Copy(PGconn* connection, std::string what, std::string where, milliseconds limit)
      : connection_{connection},
        what_{std::move(what)},
        where_{std::move(where)},
        limit_{limit},
        deadline_{PQsocket(connection), limit + kGrace} {}

  Result<void> run(const std::string& sql, const std::function<bool(std::span<const std::byte>)>& on_bytes) {
    const std::string begin =
        "BEGIN READ ONLY; SET LOCAL statement_timeout = " + std::to_string(limit_.count());
    if (const LibpqResult begun = exec(begin); PQresultStatus(begun.get()) != PGRES_COMMAND_OK) {
      return failure(begun.get());
    }
    if (const LibpqResult opened = exec(sql); PQresultStatus(opened.get()) != PGRES_COPY_OUT) {
      return failure(opened.get());
    }
    while (true) {
      char* piece = nullptr;
      const int size = PQgetCopyData(connection_, &piece, 0);
      const std::unique_ptr<char, FreeBytes> owned{piece};
      if (size < 0) return end();
      if (!on_bytes(std::as_bytes(std::span{piece, static_cast<std::size_t>(size)}))) return {};
    }
  }

 private:
  LibpqResult exec(const std::string& sql) { return LibpqResult{PQexec(connection_, sql.c_str())}; }

  /// Only the server's word that it was all makes a copy whole.
  Result<void> end() {
    const LibpqResult result{PQgetResult(connection_)};
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return {};
    return failure(result.get());
  }

  Failure failure(const PGresult* result) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string sqlstate = state != nullptr ? state : "";
    if (deadline_.stop()) {
      return {.kind = FailureKind::timed_out,
              .what = what_,
              .where = where_,
              .came_back = "not all of it had come within " + std::to_string(limit_.count()) + " ms",
              .hint = "The server may be frozen, cut off or overloaded."};
    }
    const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    std::string said = one_line(text != nullptr ? text : without_advice(PQerrorMessage(connection_)));
    if (said.empty()) said = "an answer that is no copy";
    return {.kind = sqlstate == "57014" ? FailureKind::timed_out : FailureKind::failed,
            .what = what_,
            .where = where_,
            .came_back = sqlstate.empty() ? said : sqlstate + " " + said,
            .hint = {}};
  }

  PGconn* connection_;
  std::string what_;
  std::string where_;
  milliseconds limit_;
  SocketDeadline deadline_;
};

}  // namespace

Result<void> copy_out(const ConnectParameters& parameters, const std::string& what, const std::string& where,
                      const std::string& sql, milliseconds limit,
                      const std::function<bool(std::span<const std::byte>)>& on_bytes) {
  auto connection = open_libpq_connection(parameters, what, where);
  if (!connection) return connection.error();
  Copy copy{connection->get(), what, where, std::clamp(limit, milliseconds{1}, kLongest)};
  return copy.run(sql, on_bytes);
}

}  // namespace pgfiredrill
