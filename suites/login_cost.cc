#include "suites/login_cost.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <sstream>

#include "base/text.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;

/// Enough that what a pooler does anyway in that second hardly shows.
constexpr int kLogins = 12;
constexpr double kPoolerShare = 0.15;

/// Nanoseconds on a CPU of each process of a pooler: a login takes a third of what the ticks of
/// /proc/PID/stat tell.
constexpr const char* kLook = R"sh(
for process in /proc/[0-9]*; do
  [ "$(cat "$process/comm" 2>/dev/null)" = pgbouncer ] && cat "$process/schedstat"
done
true)sh";

Failure unreadable(const std::string& host, const std::string& came_back) {
  return {.kind = FailureKind::missing,
          .what = "read the CPU time of PgBouncer",
          .where = host,
          .came_back = came_back,
          .hint = "Fresh sessions keep the rate that the login times allow."};
}

Result<double> cpu_seconds(Host& host) {
  const auto looked = host.run({.argv = {"sh", "-c", kLook}});
  if (!looked) return looked.error();
  double nanoseconds_used = 0;
  int processes = 0;
  std::istringstream lines{looked->out};
  for (std::string line; std::getline(lines, line); ++processes) {
    const auto used = parse_integer(line.substr(0, line.find(' ')));
    if (!used || *used < 0) return unreadable(host.name(), one_line(line, 80));
    nanoseconds_used += static_cast<double>(*used);
  }
  if (processes == 0) return unreadable(host.name(), "no process of that name");
  return nanoseconds_used / 1e9;
}

Result<double> cost_of(const EntryPoint& pooler, Host& host, SqlAccess& sql, const TrafficAccess& access) {
  const ConnectParameters parameters{.host = pooler.address.host,
                                     .port = pooler.address.port,
                                     .database = access.database,
                                     .user = access.user,
                                     .password = access.password,
                                     .sslmode = access.sslmode};
  // The first login opens the pool's server.
  if (const auto opened = sql.login(parameters, pooler.address.to_string()); !opened) return opened.error();
  const auto before = cpu_seconds(host);
  if (!before) return before.error();
  for (int i = 0; i < kLogins; ++i) {
    if (const auto done = sql.login(parameters, pooler.address.to_string()); !done) return done.error();
  }
  const auto after = cpu_seconds(host);
  if (!after) return after.error();
  return std::max(0.0, *after - *before) / kLogins;
}

}  // namespace

Result<double> measure_login_cost(const ClusterDescription& cluster, const HostFinder& hosts, SqlAccess& sql,
                                  const TrafficAccess& access) {
  Failure last = unreadable(cluster.name, "the cluster has no pooler that clients can reach");
  std::optional<double> dearest;
  for (const EntryPoint& point : cluster.entry_points) {
    if (point.kind != EntryPointKind::pooler || point.host.empty()) continue;
    const auto cost = cost_of(point, hosts(point.host), sql, access);
    if (cost) dearest = std::max(dearest.value_or(0), *cost);
    if (!cost) last = cost.error();
  }
  if (!dearest) return last;
  return *dearest;
}

double bearable_logins(double cpu_s_per_login) {
  return cpu_s_per_login > 0 ? kPoolerShare / cpu_s_per_login : std::numeric_limits<double>::infinity();
}

}  // namespace pgfiredrill
