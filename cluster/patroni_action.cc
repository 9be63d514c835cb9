#include "cluster/patroni_action.h"

#include <algorithm>

#include "cluster/http_answer.h"
#include "cluster/json_quote.h"

namespace pgfiredrill {
namespace {

/// Only what never reached Patroni certainly did nothing.
bool may_have_arrived(FailureKind kind) {
  return kind != FailureKind::unreachable && kind != FailureKind::untrusted;
}

Failure refused(const HttpResponse& response, const HttpQuestion& question) {
  Failure failure = wrong_status(response, question);
  if (failure.kind == FailureKind::denied) {
    failure.hint =
        "Patroni wants other credentials (restapi.authentication in patroni.yml), or its allowlist does not "
        "have this machine.";
  }
  // 503: it was registered, or may have been, and its end is not known.
  failure.transaction_in_doubt = response.status >= 500;
  return failure;
}

std::string field(const std::string& name, const std::string& value) {
  return json_quote(name) + ":" + json_quote(value);
}

}  // namespace

PatroniAction switch_over(const std::string& leader, const std::string& candidate, const std::string& at) {
  PatroniAction action{.what = "switch over from " + leader, .path = "/switchover"};
  action.body = "{" + field("leader", leader);
  if (!candidate.empty()) action.body += "," + field("candidate", candidate);
  if (!at.empty()) {
    action.what = "schedule a switchover from " + leader;
    action.body += "," + field("scheduled_at", at);
    action.good = {202};
  }
  action.body += "}";
  return action;
}

PatroniAction cancel_switchover() {
  return {.what = "cancel the scheduled switchover",
          .method = "DELETE",
          .path = "/switchover",
          .body = {},
          .good = {200, 404}};
}

PatroniAction fail_over(const std::string& candidate) {
  return {.what = "fail over to " + candidate,
          .path = "/failover",
          .body = "{" + field("candidate", candidate) + "}"};
}

PatroniAction restart_member(const std::string& member) {
  return {.what = "restart PostgreSQL of " + member, .path = "/restart", .body = "{}"};
}

PatroniAction reinitialize_member(const std::string& member) {
  return {.what = "reinitialize " + member, .path = "/reinitialize", .body = R"({"force":true})"};
}

std::string words_of(const PatroniAction& action, const PatroniMember& member) {
  const auto address = parse_http_address(member.api_url, kPatroniPort);
  const std::string url = address ? address->url() : one_line(member.api_url);
  return action.method + " " + url + action.path + (action.body.empty() ? "" : " " + action.body);
}

Result<HttpResponse> ask_patroni(const ClusterDescription& cluster, HttpClient& http,
                                 const PatroniMember& member, const PatroniAction& action,
                                 std::chrono::milliseconds deadline) {
  const auto address = parse_http_address(member.api_url, kPatroniPort);
  if (!address) return address.error();
  const HttpQuestion question{
      .what = action.what,
      .where = member.name + " (" + address->url() + ")",
      .not_it = "Is this Patroni's REST port (restapi.connect_address in patroni.yml, usually 8008)?"};
  HttpRequest request{.method = action.method, .path = action.path, .body = action.body};
  request.user = cluster.access.rest_user;
  request.password = cluster.access.rest_password;
  request.deadline = deadline;
  auto response = http.send(*address, {.ca_pem = cluster.access.rest_ca_pem}, request);
  if (!response) {
    Failure failure = asked(response.error(), question);
    failure.transaction_in_doubt = may_have_arrived(failure.kind);
    return failure;
  }
  const bool good = std::find(action.good.begin(), action.good.end(), response->status) != action.good.end();
  if (!good) return refused(*response, question);
  return response;
}

}  // namespace pgfiredrill
