#include "fault-injectors/services.h"

#include <algorithm>

#include "cluster/patroni_rest.h"
#include "fault-injectors/data_directory.h"

namespace pgfiredrill::fault {
namespace {

/// A REST that answers at all does so within milliseconds.
constexpr std::chrono::milliseconds kRestDeadline{1'500};

bool is_postgresql(const std::string& service) {
  return service == kPostmaster || service == kPostgresql;
}

/// Each of PgBouncer's processes has a unit of its own: pgbouncer, pgbouncer-2, … Discovery has asked each
/// for its version.
std::vector<HostService> poolers_on(const std::string& host, const ClusterDescription& cluster) {
  const auto known =
      std::count_if(cluster.versions.begin(), cluster.versions.end(), [&](const ComponentVersion& version) {
        return version.host == host && version.component == kPgbouncer;
      });
  std::vector<HostService> services{{.name = kPgbouncer}};
  for (long number = 2; number <= known; ++number)
    services.push_back({.name = kPgbouncer + ("-" + std::to_string(number))});
  return services;
}

Evidence left_consensus(const Victim& victim, const ClusterSnapshot& now) {
  if (victim.consensus.empty()) return {.took = true, .sentence = {}};
  if (now.consensus_healthy.count(victim.consensus) > 0)
    return {.sentence = victim.consensus + " of the consensus store still says that it is healthy"};
  return {.took = true, .sentence = victim.consensus + " of the consensus store does not answer as healthy"};
}

/// Only of a balancer whose statistics are known: another may never have answered.
Evidence balancer_is_silent(const Victim& victim, const ClusterSnapshot& now, const Tools& tools) {
  const auto& pages = tools.cluster.statistics;
  const bool known = std::any_of(pages.begin(), pages.end(),
                                 [&](const StatisticsPage& page) { return page.host == victim.host; });
  if (!known) return {.took = true, .sentence = {}};
  if (now.balancers.count(victim.host) > 0)
    return {.sentence = "the balancer on " + victim.host + " still answers"};
  return {.took = true, .sentence = "the balancer on " + victim.host + " does not answer"};
}

}  // namespace

Result<std::vector<HostService>> services_on(const std::string& service, const Victim& victim,
                                             const Tools& tools) {
  if (service == kPgbouncer) return poolers_on(victim.host, tools.cluster);
  if (!is_postgresql(service)) return std::vector<HostService>{{.name = service}};
  const auto directory = data_directory_of(victim, tools);
  if (!directory) return directory.error();
  return std::vector<HostService>{{.name = service, .data_directory = *directory}};
}

Evidence rest_is_silent(const Victim& victim, const Tools& tools) {
  const Member* member = tools.cluster.find_member(victim.member);
  if (member == nullptr || member->api_url.empty()) return {.took = true, .sentence = {}};
  const auto address = parse_http_address(member->api_url, kPatroniPort);
  if (!address) return {.sentence = address.error().message()};
  const auto answer = tools.http.send(*address, TlsIdentity{.ca_pem = tools.cluster.access.rest_ca_pem},
                                      {.path = "/liveness", .deadline = kRestDeadline});
  if (answer) return {.sentence = "Patroni's REST of " + victim.member + " still answers"};
  const FailureKind kind = answer.error().kind;
  if (kind == FailureKind::unreachable || kind == FailureKind::timed_out)
    return {.took = true, .sentence = "Patroni's REST of " + victim.member + " does not answer"};
  return {.sentence = answer.error().message()};
}

Evidence postgresql_is_silent(const Victim& victim, const ClusterSnapshot& now) {
  const auto server = now.servers.find(victim.member);
  if (server == now.servers.end()) return {.sentence = "no server of " + victim.member + " was asked"};
  if (server->second.answered) return {.sentence = "PostgreSQL of " + victim.member + " still answers"};
  return {.took = true, .sentence = "PostgreSQL of " + victim.member + " does not answer"};
}

Evidence shows_down(const std::string& service, const Victim& victim, const ClusterSnapshot& now,
                    const Tools& tools) {
  if (service == kPostgresql) return postgresql_is_silent(victim, now);
  if (service == kPatroni) return rest_is_silent(victim, tools);
  if (service == kEtcd) return left_consensus(victim, now);
  if (service == kHaproxy) return balancer_is_silent(victim, now, tools);
  return {.took = true, .sentence = {}};
}

bool may_be_the_leader(const std::string& target) {
  return target != kReplica && target != kSyncStandby && target != kReplicas;
}

Danger danger_of_losing(const std::string& service, const std::string& target) {
  if (service == kEtcd) {
    const bool quorum = target == kEtcdQuorum || target == kEtcdAll || target == kAllMembers;
    return quorum ? Danger::may_failover : Danger::none;
  }
  const bool writes = is_postgresql(service) || service == kPatroni;
  return writes && may_be_the_leader(target) ? Danger::may_failover : Danger::none;
}

Danger danger_for_leaders(const FaultSpec& spec) {
  return may_be_the_leader(spec.target) ? Danger::may_failover : Danger::none;
}

}  // namespace pgfiredrill::fault
