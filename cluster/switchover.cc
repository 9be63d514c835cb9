// Patroni's one unsafe method that is used here: POST /switchover.

#include <utility>

#include "cluster/cluster_probe.h"
#include "cluster/http_answer.h"
#include "cluster/json_quote.h"

namespace pgfiredrill {
namespace {

HttpQuestion question(const std::string& what, const PatroniMember& member, const HttpAddress& address) {
  return {.what = what,
          .where = member.name + " (" + address.url() + ")",
          .not_it = "Is this Patroni's REST port (restapi.connect_address in patroni.yml, usually 8008)?"};
}

HttpRequest post_switchover(const ClusterDescription& cluster, const std::string& leader,
                            const std::string& candidate) {
  HttpRequest request{.method = "POST", .path = "/switchover"};
  request.body = R"({"leader":)" + json_quote(leader);
  if (!candidate.empty()) request.body += R"(,"candidate":)" + json_quote(candidate);
  request.body += "}";
  request.user = cluster.access.rest_user;
  request.password = cluster.access.rest_password;
  return request;
}

/// Only what never reached Patroni certainly did nothing.
bool may_have_arrived(FailureKind kind) {
  return kind != FailureKind::unreachable && kind != FailureKind::untrusted;
}

Failure refused(const HttpResponse& response, const HttpQuestion& asked_for) {
  Failure failure = wrong_status(response, asked_for);
  if (failure.kind == FailureKind::denied) {
    failure.hint =
        "Patroni wants other credentials (restapi.authentication in patroni.yml), or its allowlist does not "
        "have this machine.";
  }
  // 503: it was registered, or may have been, and its end is not known.
  failure.transaction_in_doubt = response.status >= 500;
  return failure;
}

}  // namespace

Result<std::string> request_switchover(const ClusterDescription& cluster, HttpClient& http,
                                       const PatroniMember& leader, const std::string& candidate,
                                       std::chrono::milliseconds deadline) {
  const auto address = parse_http_address(leader.api_url, kPatroniPort);
  if (!address) return address.error();
  const HttpQuestion asked_for = question("switch over from " + leader.name, leader, *address);
  HttpRequest request = post_switchover(cluster, leader.name, candidate);
  request.deadline = deadline;
  const auto response = http.send(*address, {.ca_pem = cluster.access.rest_ca_pem}, request);
  if (!response) {
    Failure failure = asked(response.error(), asked_for);
    failure.transaction_in_doubt = may_have_arrived(failure.kind);
    return failure;
  }
  if (response->status != 200) return refused(*response, asked_for);
  return one_line(response->body);
}

Result<void> may_switch_over(const ClusterDescription& cluster, HttpClient& http,
                             const PatroniMember& member) {
  const auto address = parse_http_address(member.api_url, kPatroniPort);
  if (!address) return address.error();
  const HttpQuestion asked_for = question("ask Patroni whether we may switch over", member, *address);
  const auto response =
      http.send(*address, {.ca_pem = cluster.access.rest_ca_pem}, post_switchover(cluster, "", ""));
  if (!response) return asked(response.error(), asked_for);
  // Patroni looks at the credentials first: whoever hears that a leader must be named may name one.
  if (response->status == 400 && response->body.find("leader") != std::string::npos) return {};
  Failure failure = refused(*response, asked_for);
  failure.transaction_in_doubt = false;
  return failure;
}

}  // namespace pgfiredrill
