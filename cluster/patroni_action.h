#pragma once

/// Patroni's unsafe methods: requests that change something, as values, so that what is shown beforehand and
/// what is sent is the same. Blocking; worker threads only. Thread-safe as far as the HttpClient is.

#include <chrono>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/http.h"
#include "cluster/patroni_rest.h"

namespace pgfiredrill {

struct PatroniAction {
  std::string what;  ///< for messages, as an infinitive: "switch over from pgnode01"
  std::string method = "POST";
  std::string path;
  std::string body;
  std::vector<int> good{200};  ///< statuses that say yes
};

/// `candidate` may be empty: Patroni chooses. `at` (RFC 3339 with its offset) may be empty: at once, and then
/// Patroni answers when it is done, or gives up after twice loop_wait (20 s at least).
[[nodiscard]] PatroniAction switch_over(const std::string& leader, const std::string& candidate,
                                        const std::string& at = {});
/// A scheduled one, whoever scheduled it; that there is none is good too.
[[nodiscard]] PatroniAction cancel_switchover();
/// Names no leader: with one, Patroni would take it for a switchover.
[[nodiscard]] PatroniAction fail_over(const std::string& candidate);
/// To the member itself. Patroni answers when PostgreSQL runs again.
[[nodiscard]] PatroniAction restart_member(const std::string& member);
/// To the member itself; its data directory is made anew from another's. Answered when it has begun.
[[nodiscard]] PatroniAction reinitialize_member(const std::string& member);

/// `POST https://10.0.0.1:8008/restart {}`
[[nodiscard]] std::string words_of(const PatroniAction& action, const PatroniMember& member);

/// Sends it to the member's own REST with the cluster's credentials. A failure has Patroni's status and text,
/// and `transaction_in_doubt` where it may go on all the same.
[[nodiscard]] Result<HttpResponse> ask_patroni(const ClusterDescription& cluster, HttpClient& http,
                                               const PatroniMember& member, const PatroniAction& action,
                                               std::chrono::milliseconds deadline);

}  // namespace pgfiredrill
