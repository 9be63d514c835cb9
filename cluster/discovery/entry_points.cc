#include "cluster/discovery/entry_points.h"

#include <algorithm>
#include <mutex>

#include "cluster/discovery/task_group.h"

namespace pgfiredrill {
namespace {

/// By the path that the balancer asks Patroni for; a listener without such a check is nobody's role.
EntryPointRole role_of(const HaproxyListener& listener) {
  const std::string path = listener.check_path.substr(0, listener.check_path.find('?'));
  if (path == "/primary" || path == "/leader" || path == "/master" || path == "/read-write")
    return EntryPointRole::primary;
  if (path == "/replica" || path == "/read-only") return EntryPointRole::replica;
  if (path == "/sync" || path == "/synchronous" || path == "/read-only-sync")
    return EntryPointRole::replica_sync;
  if (path == "/async" || path == "/asynchronous") return EntryPointRole::replica_async;
  return EntryPointRole::node;
}

const HaproxyStatsRow* find_row(const std::vector<HaproxyStatsRow>& rows, const std::string& proxy,
                                const std::string& server) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const HaproxyStatsRow& row) {
    return row.proxy == proxy && row.server == server;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<BackendServer> servers_of(const HaproxyListener& listener,
                                      const std::vector<HaproxyStatsRow>* rows) {
  std::vector<BackendServer> servers;
  for (const HaproxyServer& server : listener.servers) {
    BackendServer seen{.name = server.name, .address = server.address};
    if (const auto* row = rows ? find_row(*rows, listener.name, server.name) : nullptr) {
      seen.status = row->status;
      seen.last_check = row->check_status + (row->check_code.empty() ? "" : "/" + row->check_code);
    }
    servers.push_back(std::move(seen));
  }
  return servers;
}

/// Collects each address once: on a virtual address every balancer has the same listener.
class Collector {
 public:
  explicit Collector(const std::vector<VirtualAddress>& virtual_addresses)
      : virtual_addresses_{virtual_addresses} {}

  void add(EntryPoint point) {
    const bool known = std::any_of(points_.begin(), points_.end(),
                                   [&](const EntryPoint& other) { return other.address == point.address; });
    if (!known) points_.push_back(std::move(point));
  }

  void add_balancer(const HostLook& look, const std::vector<HaproxyStatsRow>* rows) {
    for (const HaproxyListener& listener : look.haproxy->listeners) {
      if (listener.mode == "http" || listener.stats_enabled) continue;
      for (const Endpoint& bind : listener.binds) {
        EntryPoint point{.role = role_of(listener), .host = look.name(), .listener = listener.name};
        point.address = bind.is_everywhere() ? Endpoint{look.service_address(), bind.port} : bind;
        point.servers = servers_of(listener, rows);
        if (is_virtual(point.address.host)) {
          point.kind = EntryPointKind::vip;
          point.host.clear();
        }
        add(std::move(point));
      }
    }
  }

  void add_pooler(const HostLook& look, const PgbouncerIni& ini) {
    const auto addresses = ini.list("listen_addr");
    if (addresses.empty()) return;  // a pooler that listens on its socket only is no entry point
    const std::string& first = addresses.front();
    add({.kind = EntryPointKind::pooler,
         .host = look.name(),
         .address = {Endpoint{first, 0}.is_everywhere() ? look.service_address() : first,
                     *ini.listen_port()}});
  }

  /// Without balancers a virtual address leads to whatever its holder runs.
  void add_followers_of(const VirtualAddress& address, const HostLook& look) {
    const int pooler_port = look.poolers.empty() ? 0 : *look.poolers.front().ini.listen_port();
    for (const int port : {pooler_port, look.patroni->postgres_connect.port}) {
      if (port == 0) continue;
      add({.kind = EntryPointKind::vip, .role = EntryPointRole::primary, .address = {address.address, port}});
    }
  }

  std::vector<EntryPoint> take() { return std::move(points_); }

 private:
  bool is_virtual(const std::string& host) const {
    return std::any_of(virtual_addresses_.begin(), virtual_addresses_.end(),
                       [&](const VirtualAddress& address) { return address.address == host; });
  }

  const std::vector<VirtualAddress>& virtual_addresses_;
  std::vector<EntryPoint> points_;
};

bool seen_empty(const EntryPoint& point) {
  if (point.servers.empty()) return false;
  return std::none_of(point.servers.begin(), point.servers.end(),
                      [](const BackendServer& server) { return server.status.empty() || server.is_up(); });
}

/// The member whose postmaster started then.
std::string member_started_at(const std::string& postmaster_start, const std::vector<HostLook>& looks,
                              const ServiceLook& services) {
  for (const HostLook& look : looks) {
    const auto server = services.servers.find(look.name());
    if (server == services.servers.end() || server->second.server.postmaster_start != postmaster_start)
      continue;
    return look.patroni ? look.patroni->name : look.name();
  }
  return {};
}

std::string login_topic(const EntryPoint& point) {
  return "entry point " + point.address.to_string();
}

}  // namespace

std::vector<EntryPoint> find_entry_points(const std::vector<HostLook>& looks, const ServiceLook& services,
                                          const std::vector<VirtualAddress>& virtual_addresses) {
  Collector collector{virtual_addresses};
  for (const HostLook& look : looks) {
    if (!look.haproxy) continue;
    const auto rows = services.balancers.find(look.name());
    collector.add_balancer(look, rows == services.balancers.end() ? nullptr : &rows->second);
  }
  for (const VirtualAddress& address : virtual_addresses) {
    if (address.manager != "vip-manager") continue;
    const auto any = std::find_if(looks.begin(), looks.end(),
                                  [](const HostLook& look) { return look.patroni.has_value(); });
    if (any != looks.end()) collector.add_followers_of(address, *any);
  }
  for (const HostLook& look : looks) {
    for (const PoolerFile& pooler : look.poolers) collector.add_pooler(look, pooler.ini);
  }
  for (const HostLook& look : looks) {
    if (!look.patroni || look.patroni->postgres_connect.port == 0) continue;
    collector.add(
        {.kind = EntryPointKind::server, .host = look.name(), .address = look.patroni->postgres_connect});
  }
  return collector.take();
}

bool is_login_through(const NotReached& missing, const EntryPoint& point) {
  return missing.host == point.host && missing.topic == login_topic(point);
}

bool is_walled_off(const ClusterDescription& cluster, const EntryPoint& point) {
  if (point.kind != EntryPointKind::server) return false;
  return std::any_of(cluster.not_reached.begin(), cluster.not_reached.end(), [&](const NotReached& missing) {
    const FailureKind kind = missing.failure.kind;
    return is_login_through(missing, point) &&
           (kind == FailureKind::unreachable || kind == FailureKind::timed_out);
  });
}

void try_entry_points(std::vector<EntryPoint>& entry_points, const std::vector<HostLook>& looks,
                      const ServiceLook& services, SqlAccess& sql, std::vector<NotReached>& not_reached) {
  const ClusterAccess access = access_of(looks);
  if (access.superuser.empty()) return;  // said already, for the servers themselves
  std::mutex mutex;
  run_bounded(entry_points.size(), kLoginsAtOnce, [&](std::size_t i) {
    EntryPoint& point = entry_points[i];
    if (seen_empty(point)) return;
    ConnectParameters parameters{.host = point.address.host,
                                 .port = point.address.port,
                                 .user = access.superuser,
                                 .password = access.superuser_password};
    if (!access.superuser_sslmode.empty()) parameters.sslmode = access.superuser_sslmode;
    const auto answer = sql.login(parameters, point.address.to_string());
    if (!answer) {
      const std::lock_guard lock{mutex};
      not_reached.push_back({point.host, login_topic(point), answer.error()});
      return;
    }
    point.answered_by = member_started_at(answer->server.postmaster_start, looks, services);
    if (point.answered_by.empty()) point.answered_by = "a server that is none of the members";
    point.answered_in_recovery = answer->server.in_recovery;
    point.login_time = answer->took;
  });
}

}  // namespace pgfiredrill
