#include <algorithm>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include "base/lsn.h"
#include "base/text.h"
#include "cluster/copy_out.h"
#include "cluster/postgres_control.h"
#include "cluster/server_question.h"
#include "drivers/ledger_rows.h"
#include "drivers/statements.h"
#include "drivers/traffic_schema.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Rows = std::vector<std::vector<std::optional<std::string>>>;

constexpr milliseconds kShort{5'000};
constexpr milliseconds kPoll{50};

Result<PostgresControl> connect(const ConnectParameters& superuser, const std::string& database,
                                milliseconds limit) {
  ConnectParameters parameters = superuser;
  parameters.database = database;
  return PostgresControl::connect(parameters, superuser.host, limit);
}

milliseconds left_until(steady_clock::time_point deadline) {
  return std::max(milliseconds{1}, std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
}

Failure malformed(const std::string& what, const ConnectParameters& superuser) {
  return {.kind = FailureKind::malformed,
          .what = what,
          .where = superuser.host,
          .came_back = "an answer of another shape",
          .hint = "Is this PostgreSQL?"};
}

std::string text_at(const Rows& rows, std::size_t column) {
  if (rows.size() != 1 || rows.front().size() <= column) return {};
  return rows.front()[column].value_or("");
}

/// Terminated again each time: a pooler may have opened another in the meantime. Observers' sessions are
/// spared, for they write nothing, and go on watching.
constexpr const char* kEndSessions =
    "SELECT count(*), count(*) FILTER (WHERE pg_catalog.pg_terminate_backend(pid))"
    " FROM pg_catalog.pg_stat_activity WHERE usename = $1 AND application_name IS DISTINCT FROM $2";

struct Position {
  std::string lsn;
  std::uint32_t timeline = 0;
};

/// The timeline that a standby receives comes from the stream itself; what its control file says may be of
/// before a promotion.
constexpr const char* kPosition =
    "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()"
    " ELSE pg_catalog.pg_current_wal_flush_lsn() END::text,"
    " CASE WHEN pg_catalog.pg_is_in_recovery()"
    " THEN (SELECT received_tli FROM pg_catalog.pg_stat_wal_receiver)"
    " ELSE ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name("
    "CASE WHEN pg_catalog.pg_is_in_recovery() THEN NULL ELSE pg_catalog.pg_current_wal_flush_lsn() END),"
    " 1, 8))::bit(32)::integer END";

Result<Position> ask_position(PostgresControl& control, const ConnectParameters& superuser) {
  const auto rows = control.query(kPosition);
  if (!rows) return rows.error();
  Position position{.lsn = text_at(*rows, 0)};
  if (rows->size() != 1) return malformed("ask how far the server is", superuser);
  position.timeline = static_cast<std::uint32_t>(parse_integer(text_at(*rows, 1)).value_or(0));
  return position;
}

bool has_passed(const Position& position, const Fence& fence) {
  return position.timeline == fence.timeline &&
         parse_lsn(position.lsn).value_or(0) >= parse_lsn(fence.lsn).value_or(0);
}

Result<Position> wait_for_fence(PostgresControl& control, const ConnectParameters& superuser,
                                const Fence& fence, steady_clock::time_point deadline) {
  while (true) {
    const auto position = ask_position(control, superuser);
    if (!position) return position.error();
    if (has_passed(*position, fence)) return *position;
    if (steady_clock::now() >= deadline) {
      return Failure{.kind = FailureKind::timed_out,
                     .what = "wait until the server has replayed the fence",
                     .where = superuser.host,
                     .came_back = "it is at " + (position->lsn.empty() ? "no position" : position->lsn) +
                                  " of timeline " + std::to_string(position->timeline) + ", the fence at " +
                                  fence.lsn + " of timeline " + std::to_string(fence.timeline),
                     .hint = "It may be cut off from the leader, or be rebuilt."};
    }
    std::this_thread::sleep_for(kPoll);
  }
}

/// Counting copies here and not by the server: a sort of millions of rows would go through its disk.
Result<LedgerReadback> copy_ledger(const ConnectParameters& superuser, std::uint16_t first_stream,
                                   std::uint16_t last_stream, milliseconds limit) {
  ConnectParameters parameters = superuser;
  parameters.database = kTrafficDatabase;
  const std::string sql = "COPY (SELECT stream, number FROM pgfiredrill.ledger WHERE stream BETWEEN " +
                          std::to_string(first_stream) + " AND " + std::to_string(last_stream) +
                          ") TO STDOUT (FORMAT binary)";
  LedgerRows rows;
  const auto copied = copy_out(parameters, "read the ledger back", superuser.host, sql, limit,
                               [&](std::span<const std::byte> bytes) { return rows.feed(bytes); });
  if (!copied) return copied.error();
  auto runs = rows.finish();
  if (!runs) {
    Failure failure = runs.error();
    failure.where = superuser.host;
    return failure;
  }
  return LedgerReadback{.runs = std::move(*runs), .rows = rows.rows(), .timeline = 0, .replay_lsn = {}};
}

/// Only where it has passed the fence: a replica may learn of the database's being there no earlier.
Result<Position> position_in_traffic_database(const ConnectParameters& superuser, milliseconds limit) {
  auto control = connect(superuser, kTrafficDatabase, limit);
  if (!control) return control.error();
  return ask_position(*control, superuser);
}

}  // namespace

Result<void> end_traffic_sessions(const ConnectParameters& superuser, nanoseconds deadline) {
  const auto end = steady_clock::now() + deadline;
  auto control = connect(superuser, superuser.database, kShort);
  if (!control) return control.error();
  while (true) {
    const auto rows = control->query(kEndSessions, {kTrafficRole, kObserverApplication});
    if (!rows) return rows.error();
    const std::string left = text_at(*rows, 0);
    if (left == "0") return {};
    if (steady_clock::now() >= end) {
      return Failure{.kind = FailureKind::timed_out,
                     .what = "end the sessions of the traffic role",
                     .where = superuser.host,
                     .came_back = left + " are still there",
                     .hint = "A backend that waits in the kernel cannot be ended: see pg_stat_activity."};
    }
    std::this_thread::sleep_for(kPoll);
  }
}

Result<Fence> take_fence(const ConnectParameters& superuser) {
  auto control = connect(superuser, superuser.database, kShort);
  if (!control) return control.error();
  const auto identity = control->identity();
  if (!identity) return identity.error();
  if (identity->in_recovery) {
    return Failure{.kind = FailureKind::failed,
                   .what = "take the fence",
                   .where = superuser.host,
                   .came_back = "the server is in recovery",
                   .hint = "The leader has changed: ask who leads now."};
  }
  // Flushed, not inserted: whatever was acknowledged is before it, and every standby can reach it.
  const auto position = ask_position(*control, superuser);
  if (!position) return position.error();
  return Fence{.lsn = position->lsn, .timeline = position->timeline};
}

Result<LedgerReadback> read_ledger(const ConnectParameters& superuser, const Fence& fence,
                                   std::uint16_t first_stream, std::uint16_t last_stream,
                                   nanoseconds deadline) {
  const auto end = steady_clock::now() + deadline;
  {
    auto waiting = connect(superuser, superuser.database, kShort);
    if (!waiting) return waiting.error();
    if (const auto passed = wait_for_fence(*waiting, superuser, fence, end); !passed) return passed.error();
  }
  const auto position = position_in_traffic_database(superuser, left_until(end));
  if (!position) return position.error();
  auto readback = copy_ledger(superuser, first_stream, last_stream, left_until(end));
  if (!readback) return readback.error();
  readback->timeline = position->timeline;
  readback->replay_lsn = position->lsn;
  return readback;
}

}  // namespace pgfiredrill
