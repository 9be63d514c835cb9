#include "cluster/superuser_session.h"

namespace pgfiredrill {

Result<SuperuserRoute> open_superuser_route(const ClusterDescription& cluster, const Member& member,
                                            Host& host) {
  const ClusterAccess& access = cluster.access;
  if (access.superuser.empty()) {
    return Failure{.kind = FailureKind::missing,
                   .what = "log in as superuser",
                   .where = member.name,
                   .came_back = "no patroni.yml that names a superuser could be read",
                   .hint = "Logins come from the deployed patroni.yml, over SSH."};
  }
  SuperuserRoute route{.parameters = {.host = member.postgres.host,
                                      .port = member.postgres.port,
                                      .user = access.superuser,
                                      .password = access.superuser_password}};
  if (!access.superuser_sslmode.empty()) route.parameters.sslmode = access.superuser_sslmode;
  if (member.socket_directory.empty()) return route;
  auto socket = host.forward_postgres_socket(member.socket_directory, member.postgres.port);
  if (!socket) return socket.error();
  route.parameters.host = (*socket)->directory();
  route.socket = std::move(*socket);
  return route;
}

}  // namespace pgfiredrill
