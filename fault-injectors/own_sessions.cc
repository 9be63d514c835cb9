#include "fault-injectors/own_sessions.h"

#include "base/text.h"
#include "cluster/postgres_control.h"
#include "cluster/superuser_session.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr std::chrono::milliseconds kStatementTimeout{2'000};
constexpr const char* kCountSessions =
    "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE application_name = $1";

Failure missing(const std::string& what, const std::string& where, const std::string& came_back,
                const std::string& hint) {
  return {.kind = FailureKind::missing, .what = what, .where = where, .came_back = came_back, .hint = hint};
}

/// Lower is better; absent: it does not lead to the leader.
std::optional<int> rank_of(const EntryPoint& point, const std::string& leaders_host) {
  if (point.role == EntryPointRole::primary) return 0;
  if (point.host != leaders_host || leaders_host.empty()) return std::nullopt;
  if (point.kind == EntryPointKind::pooler) return 1;
  if (point.kind == EntryPointKind::server) return 2;
  return std::nullopt;
}

const EntryPoint* best_entry_point(const ClusterDescription& cluster, const std::string& leader) {
  const Member* member = cluster.find_member(leader);
  const EntryPoint* best = nullptr;
  std::optional<int> best_rank;
  for (const EntryPoint& point : cluster.entry_points) {
    const auto rank = rank_of(point, member == nullptr ? std::string{} : member->host);
    if (!rank || (best != nullptr && *rank >= best_rank.value_or(0))) continue;
    best = &point;
    best_rank = rank;
  }
  return best;
}

}  // namespace

Result<ConnectParameters> way_in(const Tools& tools, const std::string& leader,
                                 const std::string& application) {
  const std::string what = "find a way to the leader for sessions";
  if (tools.traffic == nullptr) return missing(what, leader, "the traffic's login is not known", "");
  const EntryPoint* point = best_entry_point(tools.cluster, leader);
  if (point == nullptr) {
    return missing(what, leader, "the cluster has no read-write entry point, nor a pooler beside the leader",
                   "Look at `pgfiredrill inspect`.");
  }
  ConnectParameters parameters = *tools.traffic;
  parameters.host = point->address.host;
  parameters.port = point->address.port;
  parameters.application_name = application;
  return parameters;
}

Result<std::int64_t> count_on(const Tools& tools, const std::string& member, const std::string& question,
                              const std::string& application) {
  const Member* known = tools.cluster.find_member(member);
  if (known == nullptr || known->host.empty()) {
    return missing("ask PostgreSQL for sessions", member, "no host of the inventory is this member's",
                   "The inventory must name every member's host.");
  }
  const auto route = open_superuser_route(tools.cluster, *known, tools.hosts(known->host));
  if (!route) return route.error();
  auto session = PostgresControl::connect(route->parameters, member, kStatementTimeout);
  if (!session) return session.error();
  const auto rows = session->query(question, {application});
  if (!rows) return rows.error();
  const bool whole = rows->size() == 1 && rows->front().size() == 1;
  const auto count = whole ? parse_integer(rows->front()[0].value_or("")) : std::nullopt;
  if (count) return *count;
  return Failure{.kind = FailureKind::malformed,
                 .what = "ask PostgreSQL for sessions",
                 .where = member,
                 .came_back = "an answer of another shape",
                 .hint = "Is this PostgreSQL?"};
}

Evidence sessions_are_gone(const Tools& tools, const std::string& application) {
  return watch(tools, kRejoinPatience, [&](const ClusterSnapshot& now) {
    std::vector<std::string> asked;
    for (const auto& [member, server] : now.servers) {
      if (!server.answered) continue;
      const auto count = count_on(tools, member, kCountSessions, application);
      if (!count) return Evidence{.sentence = count.error().message()};
      if (*count > 0) {
        return Evidence{.sentence = member + " still has " + std::to_string(*count) + " of its sessions"};
      }
      asked.push_back(member);
    }
    if (asked.empty()) return Evidence{.sentence = "no server answers"};
    return Evidence{.took = true, .sentence = "none of its sessions is left on " + join(asked, ", ")};
  });
}

}  // namespace pgfiredrill::fault
