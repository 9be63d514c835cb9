#include "suites/ledger_store.h"

#include <utility>

namespace pgfiredrill {

SystemLedgerStore::SystemLedgerStore(const ClusterDescription& cluster, HostFinder hosts)
    : cluster_{cluster}, hosts_{std::move(hosts)} {}

Result<SuperuserRoute> open_route_to(const ClusterDescription& cluster, const HostFinder& hosts,
                                     const std::string& member) {
  const Member* known = cluster.find_member(member);
  if (known != nullptr && !known->host.empty()) {
    return open_superuser_route(cluster, *known, hosts(known->host));
  }
  return Failure{.kind = FailureKind::missing,
                 .what = "log in to " + one_line(member),
                 .came_back = "no host of the inventory runs it",
                 .hint = "The inventory must name every member's host."};
}

Result<SuperuserRoute> SystemLedgerStore::route(const std::string& member) const {
  return open_route_to(cluster_, hosts_, member);
}

Result<std::optional<std::string>> SystemLedgerStore::find_foreign(const std::string& member) {
  const auto to = route(member);
  if (!to) return to.error();
  return find_foreign_schema(to->parameters);
}

Result<void> SystemLedgerStore::create(const std::string& member, const TrafficAccess& access, int lanes) {
  const auto to = route(member);
  if (!to) return to.error();
  return create_traffic_schema(to->parameters, access, lanes);
}

Result<void> SystemLedgerStore::drop(const std::string& member) {
  const auto to = route(member);
  if (!to) return to.error();
  return drop_traffic_schema(to->parameters);
}

Result<void> SystemLedgerStore::end_sessions(const std::string& member, nanoseconds deadline) {
  const auto to = route(member);
  if (!to) return to.error();
  return end_traffic_sessions(to->parameters, deadline);
}

Result<Fence> SystemLedgerStore::fence(const std::string& member) {
  const auto to = route(member);
  if (!to) return to.error();
  return take_fence(to->parameters);
}

Result<LedgerReadback> SystemLedgerStore::read(const std::string& member, const Fence& fence,
                                               std::uint16_t first_stream, std::uint16_t last_stream,
                                               nanoseconds deadline) {
  const auto to = route(member);
  if (!to) return to.error();
  return read_ledger(to->parameters, fence, first_stream, last_stream, deadline);
}

}  // namespace pgfiredrill
