#include "report/inspect_json.h"

#include <nlohmann/json.hpp>

namespace pgfiredrill {
namespace {

using nlohmann::ordered_json;

constexpr int kSchema = 1;

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

template <typename Duration>
ordered_json count_or_null(const std::optional<Duration>& value) {
  return value ? ordered_json(value->count()) : ordered_json(nullptr);
}

template <typename T, typename Convert>
ordered_json sourced(const Sourced<T>& setting, const Convert& convert) {
  return {{"value", convert(setting.value)}, {"source", or_null(setting.source)}};
}

ordered_json member_json(const Member& member) {
  return {{"name", member.name},
          {"host", or_null(member.host)},
          {"address", member.postgres.to_string()},
          {"api_url", or_null(member.api_url)},
          {"role", member.role},
          {"state", member.state},
          {"timeline", or_null(member.timeline)},
          {"lag_bytes", or_null(member.lag_bytes)},
          {"in_recovery", or_null(member.in_recovery)},
          {"postgres_version", or_null(member.postgres_version)},
          {"patroni_version", or_null(member.patroni_version)},
          {"pending_restart", member.pending_restart},
          {"tags", member.tags}};
}

ordered_json entry_point_json(const EntryPoint& point) {
  ordered_json servers = ordered_json::array();
  for (const BackendServer& server : point.servers) {
    servers.push_back({{"name", server.name},
                       {"address", server.address.to_string()},
                       {"status", or_null(server.status)},
                       {"last_check", or_null(server.last_check)}});
  }
  return {{"address", point.address.to_string()},
          {"kind", to_string(point.kind)},
          {"for", to_string(point.role)},
          {"host", or_null(point.host)},
          {"listener", or_null(point.listener)},
          {"servers", servers},
          {"answered_by", or_null(point.answered_by)},
          {"answered_in_recovery", or_null(point.answered_in_recovery)},
          {"login_s", point.login_time ? ordered_json(static_cast<double>(point.login_time->count()) / 1e6)
                                       : ordered_json(nullptr)}};
}

ordered_json backup_json(const std::optional<Backup>& backup) {
  if (!backup) return nullptr;
  return {{"label", backup->label},
          {"type", backup->type},
          {"stopped_at", rfc3339(backup->stopped_at)},
          {"repository_bytes", backup->repository_bytes},
          {"database_bytes", backup->database_bytes}};
}

ordered_json repository_json(const Repository& repository) {
  return {{"stanza", repository.stanza},
          {"key", repository.key},
          {"type", or_null(repository.type)},
          {"location", or_null(repository.location)},
          {"reachable", repository.reachable},
          {"status", or_null(repository.status)},
          {"backups", repository.backups},
          {"last_full", backup_json(repository.last_full)},
          {"last_backup", backup_json(repository.last_backup)},
          {"archive_min", or_null(repository.archive_min)},
          {"archive_max", or_null(repository.archive_max)}};
}

ordered_json settings_json(const FailoverSettings& settings) {
  const auto number = [](const auto& value) { return count_or_null(value); };
  const auto plain = [](const auto& value) { return or_null(value); };
  ordered_json listeners = ordered_json::array();
  for (const ListenerTimings& listener : settings.listeners) {
    listeners.push_back({{"listener", listener.listener},
                         {"source", listener.source},
                         {"inter_ms", count_or_null(listener.inter)},
                         {"fastinter_ms", count_or_null(listener.fastinter)},
                         {"fall", or_null(listener.fall)},
                         {"rise", or_null(listener.rise)},
                         {"check_timeout_ms", count_or_null(listener.check_timeout)}});
  }
  return {{"ttl_s", sourced(settings.ttl, number)},
          {"loop_wait_s", sourced(settings.loop_wait, number)},
          {"retry_timeout_s", sourced(settings.retry_timeout, number)},
          {"primary_start_timeout_s", sourced(settings.primary_start_timeout, number)},
          {"maximum_lag_on_failover_bytes", sourced(settings.maximum_lag_on_failover_bytes, plain)},
          {"synchronous_mode", sourced(settings.synchronous_mode, plain)},
          {"synchronous_mode_strict", sourced(settings.synchronous_mode_strict, plain)},
          {"synchronous_node_count", sourced(settings.synchronous_node_count, plain)},
          {"failsafe_mode", sourced(settings.failsafe_mode, plain)},
          {"paused", sourced(settings.paused, plain)},
          {"use_pg_rewind", sourced(settings.use_pg_rewind, plain)},
          {"watchdog_mode", sourced(settings.watchdog_mode, plain)},
          {"synchronous_commit", sourced(settings.synchronous_commit, plain)},
          {"archive_timeout_s", sourced(settings.archive_timeout, number)},
          {"server_login_retry_s", sourced(settings.server_login_retry, number)},
          {"server_connect_timeout_s", sourced(settings.server_connect_timeout, number)},
          {"query_wait_timeout_s", sourced(settings.query_wait_timeout, number)},
          {"pool_mode", sourced(settings.pool_mode, plain)},
          {"etcd_heartbeat_interval_ms", sourced(settings.etcd_heartbeat_interval, number)},
          {"etcd_election_timeout_ms", sourced(settings.etcd_election_timeout, number)},
          {"vip_interval_ms", sourced(settings.vip_interval, number)},
          {"listeners", listeners},
          {"disagreements", settings.disagreements}};
}

ordered_json host_json(const HostDescription& host) {
  ordered_json roles = ordered_json::array();
  for (const HostRole role : host.roles) roles.push_back(to_string(role));
  return {{"name", host.name}, {"address", host.address}, {"roles", roles}};
}

ordered_json consensus_json(const ConsensusMember& member) {
  return {{"name", member.name},
          {"endpoint", member.endpoint},
          {"healthy", member.healthy},
          {"leader", member.leader},
          {"version", or_null(member.version)},
          {"database_bytes", or_null(member.database_bytes)}};
}

ordered_json leader_change_json(const LeaderChange& change) {
  return {{"timeline", change.timeline},
          {"changed_at", or_null(change.at)},
          {"new_leader", or_null(change.new_leader)},
          {"reason", or_null(change.reason)}};
}

ordered_json not_reached_json(const NotReached& missing) {
  return {{"host", or_null(missing.host)},
          {"topic", missing.topic},
          {"kind", to_string(missing.failure.kind)},
          {"message", missing.failure.message()},
          {"hint", or_null(missing.failure.hint)}};
}

template <typename T, typename Convert>
ordered_json array_of(const std::vector<T>& items, const Convert& convert) {
  ordered_json array = ordered_json::array();
  for (const T& item : items) array.push_back(convert(item));
  return array;
}

}  // namespace

std::string render_inspect_json(const ClusterDescription& cluster, nanoseconds now,
                                const std::string& tool_version) {
  const ordered_json document{{"schema", kSchema},
                              {"kind", "inspect"},
                              {"tool", {{"version", tool_version}}},
                              {"taken_at", rfc3339(now)},
                              {"took_s", static_cast<double>(cluster.took.count()) / 1000},
                              {"source", cluster.source},
                              {"cluster",
                               {{"name", or_null(cluster.name)},
                                {"system_identifier", or_null(cluster.system_identifier)},
                                {"deployment_type", to_string(cluster.type)},
                                {"deployment_evidence", cluster.type_evidence},
                                {"dcs_type", or_null(cluster.dcs_type)},
                                {"hosts", array_of(cluster.hosts, host_json)},
                                {"members", array_of(cluster.members, member_json)},
                                {"history", array_of(cluster.history, leader_change_json)},
                                {"entry_points", array_of(cluster.entry_points, entry_point_json)},
                                {"virtual_addresses", array_of(cluster.virtual_addresses,
                                                               [](const VirtualAddress& address) {
                                                                 return ordered_json{
                                                                     {"address", address.address},
                                                                     {"manager", address.manager},
                                                                     {"holders", address.holders}};
                                                               })},
                                {"consensus", array_of(cluster.consensus, consensus_json)},
                                {"repositories", array_of(cluster.repositories, repository_json)},
                                {"versions", array_of(cluster.versions,
                                                      [](const ComponentVersion& version) {
                                                        return ordered_json{{"host", version.host},
                                                                            {"component", version.component},
                                                                            {"version", version.version}};
                                                      })},
                                {"settings", settings_json(cluster.settings)}}},
                              {"remarks", cluster.remarks},
                              {"not_reached", array_of(cluster.not_reached, not_reached_json)}};
  // Servers may send what is not UTF-8; a document that breaks off would help nobody.
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace pgfiredrill
