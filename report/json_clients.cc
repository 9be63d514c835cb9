#include "report/json_clients.h"

#include "report/json_values.h"

namespace pgfiredrill {
namespace {

using nlohmann::ordered_json;

ordered_json node_json(const ReplicaLag::Node& node) {
  return {{"member", node.member}, {"max_bytes", node.max_bytes}};
}

ordered_json path_json(const ReplicaLag::Path& path) {
  return {
      {"id", path.id}, {"reads", path.reads}, {"p95_s", or_null(path.p95_s)}, {"max_s", or_null(path.max_s)}};
}

ordered_json client_json(const ClientResult& client) {
  return {{"client", client.client},
          {"kind", client.kind},
          {"entrypoint", client.entrypoint},
          {"end", client.end},
          {"after_s", or_null(client.after_s)},
          {"stuck_s", or_null(client.stuck_s)},
          {"class", client.error.none() ? "" : client.error.to_string()},
          {"layer", client.error.none() ? "" : to_string(client.layer)},
          {"text", client.text},
          {"read_only_errors", client.read_only_errors},
          {"read_only_until_s", or_null(client.read_only_until_s)}};
}

}  // namespace

ordered_json replica_lag_json(const std::optional<ReplicaLag>& lag) {
  if (!lag) return nullptr;
  return {{"max_bytes", or_null(lag->max_bytes)},
          {"max_s", or_null(lag->max_s)},
          {"nodes", array_of(lag->nodes, node_json)},
          {"paths", array_of(lag->paths, path_json)}};
}

ordered_json clients_json(const std::vector<ClientResult>& clients) {
  return array_of(clients, client_json);
}

}  // namespace pgfiredrill
