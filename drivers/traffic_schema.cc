#include "drivers/traffic_schema.h"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include <sys/random.h>

#include "cluster/postgres_control.h"
#include "cluster/server_question.h"
#include "drivers/scram_verifier.h"
#include "drivers/statements.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;

/// CREATE DATABASE copies one, DROP DATABASE writes a checkpoint.
constexpr milliseconds kStatementLimit{30'000};

/// In place of the verifier, which is not shown to anybody.
constexpr const char* kHiddenVerifier = "***";

/// What the cluster sets for all roles and would spoil the traffic. A server that cancels a statement while
/// it waits for a standby accepts the write without it, so time is up only on our side.
struct RoleSetting {
  const char* name;
  const char* value;
  int since;  ///< server_version_num
};
constexpr std::array kRoleSettings{
    RoleSetting{"statement_timeout", "0", 0},
    RoleSetting{"lock_timeout", "0", 0},
    RoleSetting{"idle_in_transaction_session_timeout", "0", 0},
    RoleSetting{"idle_session_timeout", "0", 140'000},
    RoleSetting{"transaction_timeout", "0", 170'000},
    RoleSetting{"default_transaction_read_only", "off", 0},
    RoleSetting{"log_statement", "none", 0},  // every operation would be a line otherwise
};

constexpr int kNewestVersion = 999'999;

std::string create_role(const std::string& verifier) {
  return std::string{"CREATE ROLE "} + kTrafficRole +
         " LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 500 PASSWORD '" +
         verifier + "'";
}

/// In the maintenance database; each is a transaction of its own.
std::vector<std::string> cluster_statements(const std::string& verifier, int server_version) {
  const std::string role = kTrafficRole;
  const std::string database = kTrafficDatabase;
  std::vector<std::string> statements{create_role(verifier)};
  for (const RoleSetting& setting : kRoleSettings) {
    if (server_version < setting.since) continue;
    statements.push_back("ALTER ROLE " + role + " SET " + setting.name + " = '" + setting.value + "'");
  }
  // template0 has nothing that a site may have added to template1.
  statements.push_back("CREATE DATABASE " + database + " TEMPLATE template0 ENCODING 'UTF8'");
  statements.push_back("REVOKE ALL ON DATABASE " + database + " FROM PUBLIC");
  statements.push_back("GRANT CONNECT ON DATABASE " + database + " TO " + role);
  return statements;
}

std::string canary_function() {
  const std::string newest_heartbeat = ", (SELECT h.number FROM pgfiredrill.heartbeat h)";
  return std::string{R"sql(CREATE FUNCTION pgfiredrill.canary(wanted integer, writing boolean)
RETURNS TABLE (in_recovery boolean, postmaster_start bigint, backend integer, lsn text, timeline text,
               standby_names text, commit_level text, heartbeat bigint)
LANGUAGE plpgsql VOLATILE AS $canary$
BEGIN
  IF pg_catalog.pg_is_in_recovery() THEN
    RETURN QUERY SELECT )sql"} +
         standby_columns() + newest_heartbeat + R"sql(;
    RETURN;
  END IF;
  IF writing THEN
    UPDATE pgfiredrill.canary_row SET writes = writes + 1, at = pg_catalog.clock_timestamp() WHERE number = wanted;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no canary row %', wanted;
    END IF;
  END IF;
  RETURN QUERY SELECT )sql" +
         primary_columns() + newest_heartbeat + R"sql(;
END
$canary$)sql";
}

/// In the new database.
std::vector<std::string> database_statements(int lanes) {
  const std::string role = kTrafficRole;
  const std::string last_row = std::to_string(lanes * kRowsPerLane - 1);
  std::vector<std::string> statements{
      "CREATE SCHEMA pgfiredrill",
      "REVOKE ALL ON SCHEMA public FROM PUBLIC",
      "CREATE TABLE pgfiredrill.canary_row (number integer PRIMARY KEY, writes bigint NOT NULL DEFAULT 0,"
      " at timestamptz) WITH (fillfactor = 10)",
      "INSERT INTO pgfiredrill.canary_row (number) SELECT pg_catalog.generate_series(0, " + last_row + ")",
      // Without a unique index: a write that arrives twice must be able to show.
      "CREATE TABLE pgfiredrill.ledger (stream integer NOT NULL, number bigint NOT NULL,"
      " at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp())",
      // One row, changed many times a second: room on its page keeps the updates off any index and vacuum.
      "CREATE TABLE pgfiredrill.heartbeat (number bigint NOT NULL) WITH (fillfactor = 10)",
      "INSERT INTO pgfiredrill.heartbeat VALUES (0)",
      canary_function(),
      "GRANT USAGE ON SCHEMA pgfiredrill TO " + role,
      "GRANT SELECT, UPDATE ON pgfiredrill.canary_row TO " + role,
      "GRANT SELECT, INSERT ON pgfiredrill.ledger TO " + role,
      "GRANT SELECT, UPDATE ON pgfiredrill.heartbeat TO " + role,
  };
  for (const std::string& statement : server_question_schema(role)) statements.push_back(statement);
  return statements;
}

std::string random_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::getrandom(bytes.data() + filled, size - filled, 0);
    // A guessable password in a production cluster would be worse than no run at all.
    if (got < 0 && errno != EINTR) throw std::runtime_error{"the system gives no random bytes"};
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return bytes;
}

/// A login's cost is the traffic's own weight on the cluster and this machine: most of it would be these.
constexpr int kScramIterations = 1;

Result<PostgresControl> connect(const ConnectParameters& superuser, const std::string& database) {
  ConnectParameters parameters = superuser;
  parameters.database = database;
  return PostgresControl::connect(parameters, superuser.host, kStatementLimit);
}

Result<void> execute_all(PostgresControl& control, const std::string& what,
                         const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) {
    if (auto done = control.execute(what, statement); !done) return done.error();
  }
  return {};
}

Result<void> lay_schema(const ConnectParameters& superuser, const std::string& verifier, int lanes) {
  auto control = connect(superuser, superuser.database);
  if (!control) return control.error();
  const auto identity = control->identity();
  if (!identity) return identity.error();
  if (auto done = execute_all(*control, "make the traffic role and database",
                              cluster_statements(verifier, identity->server_version));
      !done) {
    return done.error();
  }
  auto inside = connect(superuser, kTrafficDatabase);
  if (!inside) return inside.error();
  return execute_all(*inside, "make the tables of the traffic database", database_statements(lanes));
}

/// The failure, and what of the half-made schema could not be removed again.
Failure after_cleaning(Failure failure, const ConnectParameters& superuser) {
  if (const auto dropped = drop_traffic_schema(superuser); !dropped) {
    failure.hint = std::string{"Drop database "} + kTrafficDatabase + " and role " + kTrafficRole +
                   " by hand: removing them failed too (" + dropped.error().came_back + ").";
  }
  return failure;
}

}  // namespace

TrafficAccess make_traffic_access() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char byte : random_bytes(32)) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 0x0f];
  }
  return {.database = kTrafficDatabase, .user = kTrafficRole, .password = Secret{std::move(hex)}};
}

std::vector<std::string> traffic_schema_statements() {
  auto statements = cluster_statements(kHiddenVerifier, kNewestVersion);
  for (auto& statement : database_statements(1)) statements.push_back(one_line(statement, 2'000));
  return statements;
}

Result<std::optional<std::string>> find_foreign_schema(const ConnectParameters& superuser) {
  auto control = connect(superuser, superuser.database);
  if (!control) return control.error();
  const auto rows = control->query(
      "SELECT 'database ' || datname FROM pg_catalog.pg_database WHERE datname = $1"
      " UNION ALL SELECT 'role ' || rolname FROM pg_catalog.pg_roles WHERE rolname = $2",
      {kTrafficDatabase, kTrafficRole});
  if (!rows) return rows.error();
  if (rows->empty() || rows->front().empty()) return std::optional<std::string>{};
  return rows->front().front();
}

Result<void> create_traffic_schema(const ConnectParameters& superuser, const TrafficAccess& access,
                                   int lanes) {
  const std::string verifier = scram_verifier(access.password, random_bytes(16), kScramIterations);
  // Somebody else's are not to be taken for our own half-made ones below.
  const auto foreign = find_foreign_schema(superuser);
  if (!foreign) return foreign.error();
  if (*foreign) {
    return Failure{.kind = FailureKind::failed,
                   .what = "make the traffic role and database",
                   .where = superuser.host,
                   .came_back = **foreign + " is there already",
                   .hint = "It is left from an earlier run, or another run is going on: see `heal`."};
  }
  if (auto laid = lay_schema(superuser, verifier, lanes); !laid)
    return after_cleaning(laid.error(), superuser);
  return {};
}

Result<void> drop_traffic_schema(const ConnectParameters& superuser) {
  auto control = connect(superuser, superuser.database);
  if (!control) return control.error();
  // FORCE: poolers keep idle sessions there.
  return execute_all(*control, "remove the traffic database and role",
                     {std::string{"DROP DATABASE IF EXISTS "} + kTrafficDatabase + " WITH (FORCE)",
                      std::string{"DROP ROLE IF EXISTS "} + kTrafficRole});
}

}  // namespace pgfiredrill
