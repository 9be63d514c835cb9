#include "drivers/paths.h"

#include <algorithm>
#include <set>
#include <string>

#include "cluster/discovery/entry_points.h"

namespace pgfiredrill {
namespace {

std::string port_text(int port) {
  return std::to_string(port);
}

std::string entrypoint_name(const EntryPoint& point) {
  const std::string place = point.kind == EntryPointKind::vip ? "vip" : point.host;
  return (place.empty() ? point.address.host : place) + ":" + port_text(point.address.port);
}

bool is_port_of(const std::vector<EntryPoint>& points, EntryPointKind kind, int port) {
  return std::any_of(points.begin(), points.end(), [&](const EntryPoint& point) {
    return point.kind == kind && point.address.port == port;
  });
}

/// A virtual address without a balancer leads to whatever its holder runs on that port.
Depth depth_of(const EntryPoint& point, const std::vector<EntryPoint>& all) {
  switch (point.kind) {
    case EntryPointKind::balancer:
      return Depth::balancer;
    case EntryPointKind::pooler:
      return Depth::pooler;
    case EntryPointKind::server:
      return Depth::server;
    case EntryPointKind::vip:
      break;
  }
  if (!point.listener.empty()) return Depth::balancer;
  return is_port_of(all, EntryPointKind::pooler, point.address.port) ? Depth::pooler : Depth::server;
}

class PathTable {
 public:
  explicit PathTable(const ClusterDescription& cluster) : cluster_{cluster} {}

  void add_routed();
  void add_lists();
  void add_pinned();
  void add_own_writes();
  std::vector<TrafficPath> take() { return std::move(paths_); }

 private:
  void add(TrafficPath path);
  void add_fresh_and_pooled(TrafficPath path);
  void add_list(std::vector<const EntryPoint*> points, Depth depth, bool with_attributes);
  [[nodiscard]] std::vector<const EntryPoint*> points_of(EntryPointKind kind, EntryPointRole role) const;
  [[nodiscard]] std::string member_at(const EntryPoint& point) const;
  [[nodiscard]] int members() const { return std::max(1, static_cast<int>(cluster_.members.size())); }

  const ClusterDescription& cluster_;
  std::vector<TrafficPath> paths_;
  std::set<std::string> ids_;
};

void PathTable::add(TrafficPath path) {
  path.id = path.entrypoint + "/" + to_string(path.access) + "/" + to_string(path.session);
  if (path.purpose != Purpose::canary) path.id += std::string{"/"} + to_string(path.purpose);
  if (ids_.insert(path.id).second) paths_.push_back(std::move(path));
}

void PathTable::add_fresh_and_pooled(TrafficPath path) {
  for (const SessionKind session : {SessionKind::pooled, SessionKind::fresh}) {
    path.session = session;
    add(path);
  }
}

void PathTable::add_routed() {
  for (const EntryPoint& point : cluster_.entry_points) {
    if (point.kind != EntryPointKind::balancer && point.kind != EntryPointKind::vip) continue;
    // Listeners of synchronous and asynchronous replicas may be empty by design.
    if (point.role != EntryPointRole::primary && point.role != EntryPointRole::replica) continue;
    const bool writes = point.role == EntryPointRole::primary;
    add_fresh_and_pooled(
        {.entrypoint = entrypoint_name(point),
         .addresses = {point.address},
         .depth = depth_of(point, cluster_.entry_points),
         .access = writes ? Access::read_write : Access::read_only,
         .servers_behind = point.servers.empty() ? members() : static_cast<int>(point.servers.size())});
  }
}

std::vector<const EntryPoint*> PathTable::points_of(EntryPointKind kind, EntryPointRole role) const {
  std::vector<const EntryPoint*> points;
  for (const EntryPoint& point : cluster_.entry_points) {
    if (point.kind != kind || point.role != role || is_walled_off(cluster_, point)) continue;
    points.push_back(&point);
  }
  return points;
}

void PathTable::add_list(std::vector<const EntryPoint*> points, Depth depth, bool with_attributes) {
  if (points.empty()) return;
  const int port = points.front()->address.port;
  // A list has one port, as autobase documents it; what listens elsewhere is not part of it.
  std::erase_if(points, [&](const EntryPoint* point) { return point->address.port != port; });
  if (points.size() < 2) return;
  std::size_t behind = points.size();
  TrafficPath path{.entrypoint = "list:" + port_text(port) + (with_attributes ? "+tsa" : ""),
                   .target_session_attrs = with_attributes ? "read-write" : "any",
                   .depth = depth,
                   // Poolers remember what a server said of its role, and repeat it after that has changed.
                   .needed_for_steady_state = !with_attributes};
  for (const EntryPoint* point : points) {
    path.addresses.push_back(point->address);
    behind = std::max(behind, point->servers.size());
  }
  path.servers_behind = static_cast<int>(behind);
  add_fresh_and_pooled(std::move(path));
}

void PathTable::add_lists() {
  const auto balancers = points_of(EntryPointKind::balancer, EntryPointRole::primary);
  add_list(balancers, Depth::balancer, false);
  add_list(balancers, Depth::balancer, true);
  add_list(points_of(EntryPointKind::pooler, EntryPointRole::node), Depth::pooler, true);
  add_list(points_of(EntryPointKind::server, EntryPointRole::node), Depth::server, true);
}

std::string PathTable::member_at(const EntryPoint& point) const {
  for (const Member& member : cluster_.members) {
    const bool same_host = !point.host.empty() && member.host == point.host;
    if (same_host || member.postgres.host == point.address.host) return member.name;
  }
  return {};
}

void PathTable::add_pinned() {
  for (const EntryPoint& point : cluster_.entry_points) {
    if (point.kind != EntryPointKind::pooler && point.kind != EntryPointKind::server) continue;
    if (is_walled_off(cluster_, point)) continue;
    const std::string member = member_at(point);
    if (member.empty()) continue;
    // Read-only: the member may have any role, and a role is no failure of the node.
    add({.entrypoint = entrypoint_name(point),
         .addresses = {point.address},
         .depth = depth_of(point, cluster_.entry_points),
         .access = Access::read_only,
         .session = SessionKind::pooled,
         .pinned_member = member});
  }
}

/// The ledger and the heartbeat, where an application would write.
void PathTable::add_own_writes() {
  const auto first = std::find_if(paths_.begin(), paths_.end(), [](const TrafficPath& path) {
    return path.access == Access::read_write && path.session == SessionKind::pooled &&
           path.needed_for_steady_state;
  });
  if (first == paths_.end()) return;
  const TrafficPath way = *first;
  for (const Purpose purpose : {Purpose::ledger, Purpose::heartbeat}) {
    TrafficPath path = way;
    path.purpose = purpose;
    add(std::move(path));
  }
}

}  // namespace

std::vector<TrafficPath> find_paths(const ClusterDescription& cluster) {
  PathTable table{cluster};
  table.add_routed();
  table.add_lists();
  table.add_pinned();
  table.add_own_writes();
  return table.take();
}

}  // namespace pgfiredrill
