#include "cluster/server_watch.h"

#include <utility>

#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::chrono::milliseconds kStatementTimeout{1'000};
constexpr std::chrono::seconds kLoginTimeout{2};

/// The path in the second line of postmaster.pid may be cut inside a character: hence bytes, escaped.
constexpr const char* kQuestion = R"sql(
SELECT pg_catalog.pg_is_in_recovery(),
       (extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint,
       split_part(encode(pg_catalog.pg_read_binary_file('postmaster.pid', 0, 16, true), 'escape'), E'\n', 1),
       pg_catalog.current_setting('archive_mode'),
       coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false),
       (SELECT count(*) FROM pg_catalog.pg_ls_archive_statusdir() WHERE name LIKE '%.ready'),
       (CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
             ELSE pg_catalog.pg_current_wal_lsn() END - '0/0'::pg_catalog.pg_lsn)::bigint
FROM pg_catalog.pg_stat_archiver)sql";

ServerAnswer no_answer(const std::string& why) {
  return {.state = {.answered = false, .why_not = why}};
}

ServerAnswer read_answer(const std::vector<std::vector<std::optional<std::string>>>& rows) {
  if (rows.size() != 1 || rows.front().size() != 7) return no_answer("an answer of another shape");
  const auto text = [&](std::size_t i) { return rows.front()[i].value_or(""); };
  if (text(0).empty() || !parse_integer(text(1))) return no_answer("an answer of another shape");
  return {
      .state = {.answered = true,
                .in_recovery = text(0) == "t",
                .postmaster_start = text(1),
                .postmaster_pid = parse_integer(text(2)),
                .position = parse_integer(text(6))},
      .archiver = {
          .on = text(3) != "off", .failing = text(4) == "t", .waiting = parse_integer(text(5)).value_or(0)}};
}

}  // namespace

ServerWatch::ServerWatch(const ClusterDescription& cluster, const Member& member, Host& host)
    : cluster_{cluster}, member_{member}, host_{host}, thread_{[this] { work(); }} {}

ServerWatch::~ServerWatch() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

ServerAnswer ServerWatch::ask(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock{mutex_};
  const auto idle = [this] { return !asked_; };
  if (!changed_.wait_until(lock, deadline, idle))
    return no_answer("an earlier question still waits for its answer");
  asked_ = true;
  changed_.notify_all();
  if (!changed_.wait_until(lock, deadline, idle)) return no_answer("no answer in time");
  return answer_;
}

void ServerWatch::work() {
  std::unique_lock lock{mutex_};
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || asked_; });
    if (stopping_) break;
    lock.unlock();
    ServerAnswer answer = question();
    lock.lock();
    answer_ = std::move(answer);
    asked_ = false;
    changed_.notify_all();
  }
  lock.unlock();
  session_.reset();  // before the socket that it goes through
  route_.reset();
}

ServerAnswer ServerWatch::question() {
  const bool kept = session_.has_value();
  if (!kept) {
    if (const auto logged_in = log_in(); !logged_in) return no_answer(logged_in.error().message());
  }
  const auto rows = session_->query(kQuestion);
  if (rows) return read_answer(*rows);
  session_.reset();
  // The session of a server that has restarted since is dead, and only a new one tells of the new server.
  if (kept && rows.error().kind != FailureKind::timed_out) return question();
  return no_answer(rows.error().message());
}

Result<void> ServerWatch::log_in() {
  if (!route_) {
    auto route = open_superuser_route(cluster_, member_, host_);
    if (!route) return route.error();
    route_ = std::move(*route);
    route_->parameters.connect_timeout = kLoginTimeout;
  }
  auto session = PostgresControl::connect(route_->parameters, member_.name, kStatementTimeout);
  if (!session) {
    // The forwarding may have gone with ssh's shared connection.
    route_.reset();
    return session.error();
  }
  session_.emplace(std::move(*session));
  return {};
}

}  // namespace pgfiredrill
