// A switchover at once, and whether we may ask for one.

#include "cluster/cluster_probe.h"
#include "cluster/patroni_action.h"

namespace pgfiredrill {

Result<std::string> request_switchover(const ClusterDescription& cluster, HttpClient& http,
                                       const PatroniMember& leader, const std::string& candidate,
                                       std::chrono::milliseconds deadline) {
  const auto response = ask_patroni(cluster, http, leader, switch_over(leader.name, candidate), deadline);
  if (!response) return response.error();
  return one_line(response->body);
}

Result<void> may_switch_over(const ClusterDescription& cluster, HttpClient& http,
                             const PatroniMember& member) {
  PatroniAction action = switch_over("", "");
  action.what = "ask Patroni whether we may switch over";
  action.good = {400};
  const auto response = ask_patroni(cluster, http, member, action, HttpRequest{}.deadline);
  if (!response) {
    Failure failure = response.error();
    failure.transaction_in_doubt = false;
    return failure;
  }
  // Patroni looks at the credentials first: whoever hears that a leader must be named may name one.
  if (response->body.find("leader") != std::string::npos) return {};
  return Failure{.kind = FailureKind::failed,
                 .what = action.what,
                 .where = member.name,
                 .came_back = "HTTP 400: " + one_line(response->body),
                 .hint = "Is this Patroni's REST port?"};
}

}  // namespace pgfiredrill
