#include "base/cluster_description.h"

#include <algorithm>

namespace pgfiredrill {

const char* to_string(HostRole role) noexcept {
  switch (role) {
    case HostRole::postgres:
      return "postgres";
    case HostRole::balancer:
      return "balancer";
    case HostRole::consensus:
      return "consensus";
    case HostRole::repository:
      return "repository";
  }
  return "unknown";
}

const char* to_string(DeploymentType type) noexcept {
  switch (type) {
    case DeploymentType::unknown:
      return "unknown";
    case DeploymentType::a:
      return "A";
    case DeploymentType::b:
      return "B";
    case DeploymentType::c:
      return "C";
    case DeploymentType::d:
      return "D";
  }
  return "unknown";
}

const char* explain(DeploymentType type) noexcept {
  switch (type) {
    case DeploymentType::unknown:
      return "could not be told";
    case DeploymentType::a:
      return "HAProxy behind a virtual address";
    case DeploymentType::b:
      return "a virtual address that follows the leader, no HAProxy";
    case DeploymentType::c:
      return "Consul service discovery";
    case DeploymentType::d:
      return "no virtual address: clients list the entry points";
  }
  return "could not be told";
}

std::string Endpoint::to_string() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool Endpoint::is_everywhere() const noexcept {
  return host.empty() || host == "*" || host == "0.0.0.0" || host == "::" || host == "[::]";
}

bool is_leader_role(const std::string& role) noexcept {
  return role == "leader" || role == "standby_leader" || role == "master";
}

bool is_synchronous_role(const std::string& role) noexcept {
  return role == "sync_standby" || role == "quorum_standby";
}

const Member* ClusterDescription::find_member(const std::string& member) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const Member& known) { return known.name == member; });
  return found == members.end() ? nullptr : &*found;
}

const char* to_string(EntryPointKind kind) noexcept {
  switch (kind) {
    case EntryPointKind::balancer:
      return "balancer";
    case EntryPointKind::vip:
      return "vip";
    case EntryPointKind::pooler:
      return "pooler";
    case EntryPointKind::server:
      return "server";
  }
  return "unknown";
}

const char* to_string(EntryPointRole role) noexcept {
  switch (role) {
    case EntryPointRole::primary:
      return "primary";
    case EntryPointRole::replica:
      return "replica";
    case EntryPointRole::replica_sync:
      return "replica_sync";
    case EntryPointRole::replica_async:
      return "replica_async";
    case EntryPointRole::node:
      return "node";
  }
  return "unknown";
}

}  // namespace pgfiredrill
