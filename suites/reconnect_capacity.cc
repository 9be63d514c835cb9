#include "suites/reconnect_capacity.h"

#include <algorithm>

namespace pgfiredrill {
namespace {

constexpr int kConcurrencies[] = {4, 16};

bool is_way_in(const TrafficPath& path, Depth depth, const std::string& leader) {
  if (path.purpose != Purpose::canary || path.depth != depth || path.addresses.size() != 1) return false;
  if (depth == Depth::balancer) return path.access == Access::read_write && path.pinned_member.empty();
  return path.pinned_member == leader;
}

}  // namespace

std::vector<LoginStorm> find_storms(const std::vector<TrafficPath>& paths, const std::string& leader,
                                    const TrafficAccess& access) {
  std::vector<LoginStorm> storms;
  for (const Depth depth : {Depth::balancer, Depth::pooler, Depth::server}) {
    const auto path = std::find_if(paths.begin(), paths.end(),
                                   [&](const TrafficPath& one) { return is_way_in(one, depth, leader); });
    if (path == paths.end()) continue;
    for (const int concurrency : kConcurrencies) {
      storms.push_back({.path = *path, .access = access, .concurrency = concurrency});
    }
  }
  return storms;
}

Event reconnect_event(const LoginStorm& storm, const LoginRate& rate) {
  Event event{.kind = event::kReconnectRate,
              .fields = {{"layer", std::string{to_string(storm.path.depth)}},
                         {"entrypoint", storm.path.entrypoint},
                         {"concurrency", static_cast<std::int64_t>(rate.concurrency)},
                         {"over_s", rate.over_s},
                         {"logins", static_cast<std::int64_t>(rate.logins)},
                         {"failed", static_cast<std::int64_t>(rate.failed)},
                         {"driver_cpu_s", rate.driver_cpu_s},
                         {"threads", static_cast<std::int64_t>(rate.threads)}}};
  if (rate.max_connections) {
    event.fields["max_connections"] = static_cast<std::int64_t>(*rate.max_connections);
  }
  return event;
}

}  // namespace pgfiredrill
