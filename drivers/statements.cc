#include "drivers/statements.h"

#include <charconv>
#include <limits>
#include <optional>

#include "base/lsn.h"
#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kColumns = 7;
/// A canary's answer has one more.
constexpr std::size_t kHeartbeatColumn = kColumns;

/// Every function of these may be called without superuser, also through poolers.
constexpr const char* kPrimaryColumns =
    "false,"
    " (extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint,"
    " pg_catalog.pg_backend_pid(),"
    " pg_catalog.pg_current_wal_insert_lsn()::text,"
    " pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8),"
    " pg_catalog.current_setting('synchronous_standby_names'),"
    " pg_catalog.current_setting('synchronous_commit')";

constexpr const char* kStandbyColumns =
    "true,"
    " (extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint,"
    " pg_catalog.pg_backend_pid(),"
    " pg_catalog.pg_last_wal_replay_lsn()::text,"
    " NULL::text,"
    " pg_catalog.current_setting('synchronous_standby_names'),"
    " pg_catalog.current_setting('synchronous_commit')";

template <typename Number>
std::optional<Number> parse_hex(std::string_view text) noexcept {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint32_t heartbeat_in(std::string_view text) {
  const auto number = parse_integer(text);
  const bool possible = number && *number > 0 && *number <= std::numeric_limits<std::uint32_t>::max();
  return possible ? static_cast<std::uint32_t>(*number) : 0;
}

bool waits_for_flush(std::string_view synchronous_commit) {
  return synchronous_commit == "on" || synchronous_commit == "remote_apply";
}

}  // namespace

const char* primary_columns() noexcept {
  return kPrimaryColumns;
}

const char* standby_columns() noexcept {
  return kStandbyColumns;
}

Statement canary_statement(std::uint16_t lane, std::uint64_t number, bool write) {
  const std::uint64_t row = std::uint64_t{lane} * kRowsPerLane + number % kRowsPerLane;
  return {.sql = "SELECT * FROM pgfiredrill.canary($1, $2)",
          .values = {std::to_string(row), write ? "t" : "f"}};
}

Statement ledger_statement(std::uint16_t stream, std::uint64_t number) {
  static const std::string kSql =
      std::string{"INSERT INTO pgfiredrill.ledger (stream, number) VALUES ($1, $2) RETURNING "} +
      kPrimaryColumns;
  return {.sql = kSql, .values = {std::to_string(stream), std::to_string(number)}};
}

void renumber_ledger_statement(Statement& statement, std::uint16_t stream, std::uint64_t number) {
  statement.values[0] = std::to_string(stream);
  statement.values[1] = std::to_string(number);
}

Statement heartbeat_statement(std::uint64_t number) {
  // Of two that are under way at once the later one stays, whichever comes last.
  static const std::string kSql =
      std::string{"UPDATE pgfiredrill.heartbeat SET number = greatest(number, $1::bigint) RETURNING "} +
      kPrimaryColumns;
  return {.sql = kSql, .values = {std::to_string(number)}};
}

Answer parse_answer(const StatementEvidence& evidence) {
  Answer answer;
  if (evidence.rows.size() != 1) return answer;
  const Row& row = evidence.rows.front();
  if (row.size() != kColumns && row.size() != kColumns + 1) return answer;
  const auto text = [&](std::size_t column) {
    return row[column] ? std::string_view{*row[column]} : std::string_view{};
  };
  const auto start = parse_integer(text(1));
  const auto pid = parse_integer(text(2));
  if (!start || !pid || *pid < 0 || *pid > std::numeric_limits<std::uint32_t>::max()) return answer;
  answer.whole = text(0) == "t" || text(0) == "f";
  answer.in_recovery = text(0) == "t";
  answer.postmaster_start = *start;
  answer.backend_pid = static_cast<std::uint32_t>(*pid);
  answer.lsn = parse_lsn(text(3)).value_or(0);
  answer.timeline = parse_hex<std::uint32_t>(text(4)).value_or(0);
  answer.standby_named = !text(5).empty();
  answer.waits_for_flush = waits_for_flush(text(6));
  if (row.size() > kHeartbeatColumn) answer.heartbeat = heartbeat_in(text(kHeartbeatColumn));
  return answer;
}

}  // namespace pgfiredrill
