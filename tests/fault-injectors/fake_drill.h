#pragma once

/// A cluster as a probe would see it, for faults and healing: a test says what each look finds.

#include <functional>
#include <utility>

#include "fault-injectors/fault.h"
#include "tests/support/fake_host.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/simulated_clock.h"

namespace pgfiredrill::testing {

class FakeProbe final : public ClusterProbe {
 public:
  explicit FakeProbe(SimulatedClock& clock) : clock_{clock} {}

  ClusterSnapshot now;
  std::function<void(int look)> before_look = [](int) {};  ///< counted from 1; may change `now`
  int looks = 0;

  [[nodiscard]] ClusterSnapshot look() override {
    before_look(++looks);
    now.at = clock_.monotonic();
    return now;
  }

 private:
  SimulatedClock& clock_;
};

/// pgnode01 leads on timeline 4, pgnode02 follows; both answer.
[[nodiscard]] inline ClusterSnapshot two_members() {
  ClusterSnapshot snapshot;
  snapshot.members = {{.name = "pgnode01",
                       .role = "leader",
                       .state = "running",
                       .api_url = "https://10.0.0.1:8008/patroni",
                       .timeline = 4},
                      {.name = "pgnode02",
                       .role = "replica",
                       .state = "streaming",
                       .api_url = "https://10.0.0.2:8008/patroni",
                       .timeline = 4,
                       .lag_bytes = 0}};
  snapshot.servers = {{"pgnode01", {.answered = true, .postmaster_start = "111"}},
                      {"pgnode02", {.answered = true, .in_recovery = true, .postmaster_start = "222"}}};
  return snapshot;
}

/// `leader` leads on `timeline` and the other follows.
inline void let_lead(ClusterSnapshot& snapshot, const std::string& leader, std::int64_t timeline) {
  for (PatroniMember& member : snapshot.members) {
    const bool leads = member.name == leader;
    member.role = leads ? "leader" : "replica";
    member.state = leads ? "running" : "streaming";
    member.timeline = timeline;
    member.lag_bytes = leads ? std::nullopt : std::optional<std::int64_t>{0};
    snapshot.servers[member.name].in_recovery = !leads;
  }
}

/// Two hosts, a cluster and all that a fault works with.
class FakeDrill {
 public:
  FakeDrill() {
    cluster.name = "postgres-cluster";
    cluster.access.rest_user = "patroni";
    cluster.access.rest_password = Secret{"rest-secret"};
    cluster.members = {
        {.name = "pgnode01", .host = "pg1", .role = "leader", .data_directory = "/data/17 main"},
        {.name = "pgnode02", .host = "pg2", .role = "replica", .state = "streaming"}};
    probe.now = two_members();
  }

  fault::Tools tools() {
    return {.cluster = cluster,
            .http = http,
            .hosts = [this](const std::string& name) -> Host& { return name == "pg1" ? pg1 : pg2; },
            .probe = probe,
            .clock = clock,
            .helper = helper,
            .id = "20261130T184500Z-test.1.1"};
  }

  std::unique_ptr<fault::Fault> make(const std::string& kind, const std::string& target = "leader") {
    return fault::find_fault_kind(kind)->make({.kind = kind, .target = target}, tools());
  }

  ClusterDescription cluster;
  SimulatedClock clock;
  fault::Helper helper{true};
  FakeProbe probe{clock};
  std::function<Result<RemoteResult>(const RemoteCommand&)> on_host = [](const RemoteCommand&) {
    return RemoteResult{};
  };
  std::function<Result<HttpResponse>(const HttpRequest&)> on_rest = [](const HttpRequest&) {
    return HttpResponse{.status = 200, .body = "Successfully switched over"};
  };
  FakeHost pg1{"pg1", [this](const RemoteCommand& command) { return on_host(command); }};
  FakeHost pg2{"pg2", [this](const RemoteCommand& command) { return on_host(command); }};
  FakeHttpClient http{[this](const HttpAddress&, const HttpRequest& request) { return on_rest(request); }};
};

}  // namespace pgfiredrill::testing
