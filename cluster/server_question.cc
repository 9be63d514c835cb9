#include "cluster/server_question.h"

#include <limits>

#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kColumns = 6;

/// Half of these functions fail in recovery, the other half out of it. The timeline of a standby is told by
/// its receiver, in a view that an ordinary role sees empty: hence the definer's rights, and with them a
/// search path that nobody else can put anything into.
constexpr const char* kFunction = R"sql(CREATE FUNCTION pgfiredrill.observe()
RETURNS TABLE (in_recovery boolean, postmaster_start bigint, timeline bigint, lsn text, receive_lsn text,
               server_clock bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog AS $observe$
BEGIN
  IF pg_is_in_recovery() THEN
    RETURN QUERY SELECT true, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
      (SELECT received_tli::bigint FROM pg_stat_wal_receiver LIMIT 1), pg_last_wal_replay_lsn()::text,
      pg_last_wal_receive_lsn()::text, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
    RETURN;
  END IF;
  RETURN QUERY SELECT false, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
    ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint,
    pg_current_wal_insert_lsn()::text, NULL::text, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
END
$observe$)sql";

}  // namespace

std::vector<std::string> server_question_schema(const std::string& role) {
  return {kFunction, "REVOKE ALL ON FUNCTION pgfiredrill.observe() FROM PUBLIC",
          "GRANT EXECUTE ON FUNCTION pgfiredrill.observe() TO " + role};
}

Statement server_question() {
  return {.sql =
              "SELECT in_recovery, postmaster_start, timeline, lsn, receive_lsn, server_clock"
              " FROM pgfiredrill.observe()",
          .values = {}};
}

std::optional<ServerSelfReport> parse_self_report(const StatementEvidence& evidence) {
  if (!evidence.ended_cleanly || evidence.rows.size() != 1 || evidence.rows.front().size() != kColumns) {
    return std::nullopt;
  }
  const Row& row = evidence.rows.front();
  const auto text = [&](std::size_t column) { return row[column].value_or(""); };
  const bool whole =
      (text(0) == "t" || text(0) == "f") && parse_integer(text(1)).has_value() && parse_integer(text(5));
  if (!whole) return std::nullopt;
  const std::int64_t timeline = parse_integer(text(2)).value_or(0);
  const bool sane = timeline > 0 && timeline <= std::numeric_limits<std::uint32_t>::max();
  return ServerSelfReport{.in_recovery = text(0) == "t",
                          .postmaster_start = text(1),
                          .timeline = sane ? static_cast<std::uint32_t>(timeline) : 0,
                          .lsn = text(3),
                          .receive_lsn = text(4),
                          .clock = text(5)};
}

}  // namespace pgfiredrill
