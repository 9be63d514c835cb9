#include "fault-injectors/data_directory.h"

#include "cluster/postgres_control.h"
#include "cluster/superuser_session.h"

namespace pgfiredrill::fault {
namespace {

constexpr std::chrono::milliseconds kStatementTimeout{2'000};

Failure not_found(const std::string& where, const std::string& came_back, const std::string& hint) {
  return {.kind = FailureKind::missing,
          .what = "find PostgreSQL's data directory",
          .where = where,
          .came_back = came_back,
          .hint = hint};
}

Result<std::string> ask_postgresql(const Member& member, Host& host, const ClusterDescription& cluster) {
  const auto route = open_superuser_route(cluster, member, host);
  if (!route) return route.error();
  auto session = PostgresControl::connect(route->parameters, member.name, kStatementTimeout);
  if (!session) return session.error();
  const auto rows = session->query("SHOW data_directory");
  if (!rows) return rows.error();
  if (rows->size() == 1 && rows->front().size() == 1 && rows->front()[0]) return *rows->front()[0];
  return not_found(member.name, "PostgreSQL does not tell it", "Log in as a superuser.");
}

}  // namespace

Result<std::string> data_directory_of(const Victim& victim, const Tools& tools) {
  const Member* member = tools.cluster.find_member(victim.member);
  if (member == nullptr) {
    return not_found(victim.host, "no member of Patroni's runs there", "Aim at a member: leader, replica.");
  }
  if (!member->data_directory.empty()) return member->data_directory;
  return ask_postgresql(*member, tools.hosts(victim.host), tools.cluster);
}

}  // namespace pgfiredrill::fault
