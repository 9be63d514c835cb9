#include "suites/preflight_questions.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/text.h"
#include "cluster/config/patroni_rejoin.h"
#include "cluster/host_facts.h"
#include "cluster/patroni_rest.h"
#include "cluster/postgres_control.h"
#include "suites/ledger_store.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using Rows = std::vector<std::vector<std::optional<std::string>>>;

constexpr milliseconds kStatementTimeout{5'000};
constexpr milliseconds kFileDeadline{10'000};
/// Every database needs a session of its own: no more of them, and no longer, than this.
constexpr std::size_t kMostDatabases = 100;
constexpr nanoseconds kDatabasesDeadline = std::chrono::seconds{20};
constexpr const char* kPatroniYml = "/etc/patroni/patroni.yml";

constexpr const char* kDatabases = R"sql(
SELECT datname FROM pg_catalog.pg_database WHERE datallowconn AND NOT datistemplate ORDER BY datname)sql";

constexpr const char* kDatabaseBytes = R"sql(
SELECT sum(pg_catalog.pg_database_size(oid)) FROM pg_catalog.pg_database)sql";

/// `failover` is a column from PostgreSQL 17 on.
constexpr const char* kLogicalSlots = R"sql(
SELECT slot_name, database, coalesce(pg_catalog.to_jsonb(s) ->> 'failover', 'false')
FROM pg_catalog.pg_replication_slots s WHERE slot_type = 'logical' AND NOT temporary ORDER BY slot_name)sql";

constexpr const char* kPrepared = R"sql(
SELECT gid || ' in ' || database FROM pg_catalog.pg_prepared_xacts ORDER BY prepared LIMIT 20)sql";

/// What rewrites or builds a relation holds it for itself alone, or shows its progress; what is over within a
/// second would be over before the fault. No statement's text: it may hold anything.
constexpr const char* kRunning = R"sql(
WITH found(obstacle, pid) AS (
  SELECT 'running-ddl', l.pid FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a USING (pid)
  WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.granted
    AND a.backend_type = 'client backend' AND a.xact_start < pg_catalog.clock_timestamp() - interval '1 s'
  UNION SELECT 'running-ddl', pid FROM pg_catalog.pg_stat_progress_create_index
  UNION SELECT 'running-ddl', pid FROM pg_catalog.pg_stat_progress_cluster
  UNION SELECT 'running-dump', pid FROM pg_catalog.pg_stat_activity
  WHERE application_name IN ('pg_dump', 'pg_dumpall')
  UNION SELECT 'running-base-backup', pid FROM pg_catalog.pg_stat_progress_basebackup
  UNION SELECT 'running-base-backup', pid FROM pg_catalog.pg_stat_activity
  WHERE application_name = 'pgBackRest [backup]'
  UNION SELECT 'wraparound-vacuum', pid FROM pg_catalog.pg_stat_activity
  WHERE backend_type = 'autovacuum worker' AND query LIKE '%(to prevent wraparound)%'
)
SELECT obstacle, pid, coalesce(application_name, '') FROM found
JOIN pg_catalog.pg_stat_activity USING (pid)
WHERE pid <> pg_catalog.pg_backend_pid() ORDER BY obstacle, pid LIMIT 50)sql";

/// A table without a single page has no row; one with pages is taken to have some.
constexpr const char* kUnlogged = R"sql(
SELECT count(*) FROM pg_catalog.pg_class
WHERE relpersistence = 'u' AND relkind = 'r' AND pg_catalog.pg_relation_size(oid) > 0)sql";

/// Of users' tables alone: catalogs are written by vacuum's statistics too, which nobody would miss.
constexpr const char* kWritten = R"sql(
SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_catalog.pg_stat_user_tables)sql";

std::string cell(const std::vector<std::optional<std::string>>& row, std::size_t column) {
  return column < row.size() ? row[column].value_or("") : std::string{};
}

std::optional<std::int64_t> only_number(const Rows& rows) {
  return rows.size() == 1 ? parse_integer(cell(rows.front(), 0)) : std::nullopt;
}

/// What is asked of one member's PostgreSQL, each question noted under its obstacle where it is not answered.
class ServerQuestions {
 public:
  ServerQuestions(PostgresControl& session, const std::string& member, PreflightFacts& facts)
      : session_{session}, member_{member}, facts_{facts} {}

  void ask_running() {
    for (const auto& row : ask("running-ddl", kRunning)) {
      facts_.running.push_back(
          {cell(row, 0), member_,
           "process " + cell(row, 1) + (cell(row, 2).empty() ? "" : " of " + one_line(cell(row, 2), 60))});
    }
  }

  void ask_slots(const std::set<std::string>& permanent) {
    for (const auto& row : ask("logical-slots", kLogicalSlots)) {
      facts_.slots.push_back(
          {.name = cell(row, 0),
           .database = cell(row, 1),
           .survives_failover = cell(row, 2) == "true" || permanent.contains(cell(row, 0))});
    }
  }

  void ask_prepared() {
    for (const auto& row : ask("prepared-transactions", kPrepared)) facts_.prepared.push_back(cell(row, 0));
  }

  void ask_size() { facts_.database_bytes = only_number(ask("slow-rebuild", kDatabaseBytes)); }

 private:
  Rows ask(const char* obstacle, const char* sql) {
    auto rows = session_.query(sql);
    if (rows) return std::move(*rows);
    facts_.not_looked_at.push_back({obstacle, rows.error()});
    return {};
  }

  PostgresControl& session_;
  const std::string& member_;
  PreflightFacts& facts_;
};

/// Asks the same of every database of one server, a session for each.
class DatabaseQuestions {
 public:
  DatabaseQuestions(ConnectParameters parameters, std::string where, Clock& clock)
      : parameters_{std::move(parameters)}, where_{std::move(where)}, clock_{clock} {}

  struct Answers {
    std::map<std::string, std::int64_t> numbers;
    std::size_t not_asked = 0;
    Failure why;  ///< of the last that was not
  };

  Result<Answers> ask(const char* sql) {
    auto names = databases();
    if (!names) return names.error();
    const nanoseconds end = clock_.monotonic() + kDatabasesDeadline;
    Answers answers;
    for (std::size_t i = 0; i < names->size(); ++i) {
      if (i >= kMostDatabases || clock_.monotonic() >= end) {
        answers.not_asked += names->size() - i;
        answers.why = {.kind = FailureKind::timed_out,
                       .what = "look into every database",
                       .where = where_,
                       .came_back = "there are " + std::to_string(names->size()) + " of them"};
        break;
      }
      const auto number = number_of((*names)[i], sql);
      if (number) {
        answers.numbers[(*names)[i]] = *number;
      } else {
        ++answers.not_asked;
        answers.why = number.error();
      }
    }
    return answers;
  }

 private:
  Result<std::vector<std::string>> databases() {
    auto session = PostgresControl::connect(parameters_, where_, kStatementTimeout);
    if (!session) return session.error();
    const auto rows = session->query(kDatabases);
    if (!rows) return rows.error();
    std::vector<std::string> names;
    for (const auto& row : *rows) names.push_back(cell(row, 0));
    return names;
  }

  Result<std::int64_t> number_of(const std::string& database, const char* sql) {
    ConnectParameters parameters = parameters_;
    parameters.database = database;
    auto session = PostgresControl::connect(parameters, where_, kStatementTimeout);
    if (!session) return session.error();
    const auto rows = session->query(sql);
    if (!rows) return rows.error();
    const auto number = only_number(*rows);
    if (number) return *number;
    return Failure{
        .kind = FailureKind::malformed, .what = "count rows", .where = where_, .came_back = "no number"};
  }

  ConnectParameters parameters_;
  std::string where_;
  Clock& clock_;
};

/// What Patroni's configuration says of members that come back; its own file overrules the dynamic one, but
/// what is set in either is worth a question.
class RejoinQuestions {
 public:
  RejoinQuestions(const ClusterDescription& cluster, PreflightFacts& facts)
      : cluster_{cluster}, facts_{facts} {}

  void ask_rest(HttpClient& http, const Member& member) {
    const auto address = parse_http_address(member.api_url, kPatroniPort);
    if (!address) return note(address.error());
    const PatroniRest rest{http, *address, TlsIdentity{.ca_pem = cluster_.access.rest_ca_pem}, member.name};
    const auto config = rest.config();
    if (!config) return note(config.error());
    take_in(parse_patroni_rejoin(config->raw, "GET /config of " + member.name), "dynamic configuration");
  }

  void ask_file(Host& host) {
    const auto files = read_host_files(host, {kPatroniYml}, kFileDeadline);
    if (!files) return note(files.error());
    take_in(parse_patroni_rejoin(files->file(kPatroniYml), host.name() + ":" + kPatroniYml), host.name());
  }

  [[nodiscard]] const std::set<std::string>& permanent_slots() const { return permanent_slots_; }

 private:
  void take_in(const Result<PatroniRejoin>& rejoin, const std::string& where) {
    if (!rejoin) return note(rejoin.error());
    for (const std::string& key : rejoin->removes_data) facts_.removes_data.push_back(where + ": " + key);
    permanent_slots_.insert(rejoin->permanent_slots.begin(), rejoin->permanent_slots.end());
    if (!rejoin->basebackup_bytes_per_s) return;
    const std::int64_t rate = *rejoin->basebackup_bytes_per_s;
    facts_.basebackup_bytes_per_s = std::min(facts_.basebackup_bytes_per_s.value_or(rate), rate);
  }

  void note(const Failure& failure) { facts_.not_looked_at.push_back({"remove-data-directory", failure}); }

  const ClusterDescription& cluster_;
  PreflightFacts& facts_;
  std::set<std::string> permanent_slots_;
};

}  // namespace

SystemPreflightQuestions::SystemPreflightQuestions(const ClusterDescription& cluster, HttpClient& http,
                                                   HostFinder hosts, Clock& clock)
    : cluster_{cluster}, http_{http}, hosts_{std::move(hosts)}, clock_{clock} {}

PreflightFacts SystemPreflightQuestions::ask(const std::string& leader) {
  PreflightFacts facts;
  RejoinQuestions rejoin{cluster_, facts};
  for (const Member& member : cluster_.members) {
    if (!member.host.empty()) rejoin.ask_file(hosts_(member.host));
    if (member.name == leader) rejoin.ask_rest(http_, member);
  }
  for (const Member& member : cluster_.members) {
    const auto note = [&](const char* obstacle, const Failure& failure) {
      facts.not_looked_at.push_back({obstacle, failure});
    };
    const auto route = open_route_to(cluster_, hosts_, member.name);
    if (!route) {
      note("running-ddl", route.error());
      continue;
    }
    auto session = PostgresControl::connect(route->parameters, member.name, kStatementTimeout);
    if (!session) {
      note("running-ddl", session.error());
      continue;
    }
    ServerQuestions server{*session, member.name, facts};
    server.ask_running();
    if (member.name != leader) continue;
    server.ask_slots(rejoin.permanent_slots());
    server.ask_prepared();
    server.ask_size();
    const auto unlogged = DatabaseQuestions{route->parameters, leader, clock_}.ask(kUnlogged);
    if (!unlogged) {
      note("unlogged-tables", unlogged.error());
      continue;
    }
    for (const auto& [database, tables] : unlogged->numbers) {
      if (tables > 0) facts.unlogged.push_back({database, tables});
    }
    if (unlogged->not_asked > 0) note("unlogged-tables", unlogged->why);
  }
  return facts;
}

Result<WrittenRows> SystemPreflightQuestions::count_written(const std::string& leader) {
  const auto route = open_route_to(cluster_, hosts_, leader);
  if (!route) return route.error();
  auto counted = DatabaseQuestions{route->parameters, leader, clock_}.ask(kWritten);
  if (!counted) return counted.error();
  return WrittenRows{std::move(counted->numbers), counted->not_asked};
}

}  // namespace pgfiredrill
