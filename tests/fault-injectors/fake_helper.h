#pragma once

/// The helper of one host as a state machine without a host: it keeps records as the real one does, and a
/// test says what it refuses and what it sees.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "fault-injectors/fault.h"
#include "fault-injectors/helper_text.h"
#include "tests/fault-injectors/fake_drill.h"

namespace pgfiredrill::testing {

class FakeHelper {
 public:
  struct Record {
    std::string state;
    std::vector<std::string> words;
    bool over = false;  ///< a reboot has ended it
  };

  std::map<std::string, Record> records;
  std::map<std::string, int> refuses;  ///< command (`arm`, `inject`, …) → what it exits with
  std::set<std::string> addresses;     ///< what `holds-address` knows
  bool in_force = true;                ///< what `check` sees of what was injected
  bool reachable = true;
  std::string getent;  ///< what the resolver answers

  [[nodiscard]] Result<RemoteResult> answer(const RemoteCommand& command) {
    if (!reachable) return Failure{.kind = FailureKind::unreachable, .what = "log in"};
    if (command.argv.front() == "getent")
      return RemoteResult{.exit_status = getent.empty() ? 2 : 0, .out = getent};
    std::vector<std::string> said = command.argv;
    if (said.front() == "sh") said.erase(said.begin());
    if (said.size() < 2 || (said[0] != fault::kLaidHelper && said[0] != fault::kInstalledHelper))
      return RemoteResult{};  // a helper that is laid
    said.erase(said.begin());
    const auto refused = refuses.find(said.front());
    if (refused != refuses.end()) return RemoteResult{.exit_status = refused->second, .err = "refused"};
    return act(said);
  }

  /// Nobody came back in time: what was injected is undone by the host itself.
  void let_timers_fire() {
    for (auto& [id, record] : records) {
      if (record.state == "injected") record.state = "expired";
      if (record.state == "armed") record.state = "reverted";
    }
  }

  /// What a reboot ends is over; what survives it, the unit on disk undoes. Timers that were started are
  /// gone.
  void reboot() {
    static const std::set<std::string> surviving{"prevent-start", "fill", "patroni-config", "patroni-pause"};
    for (auto& [id, record] : records) {
      if (surviving.contains(record.words.front())) {
        if (stands(record)) record.state = record.state == "armed" ? "reverted" : "expired";
      } else if (record.state == "injected") {
        record.over = true;
      }
    }
  }

  /// Armed or injected and not undone.
  [[nodiscard]] std::vector<std::string> pending() const {
    std::vector<std::string> ids;
    for (const auto& [id, record] : records) {
      if (stands(record)) ids.push_back(id);
    }
    return ids;
  }

  /// Verb and arguments of all that was ever armed and is recorded.
  [[nodiscard]] std::vector<std::string> broken() const {
    std::vector<std::string> all;
    for (const auto& [id, record] : records) all.push_back(join(record.words, " "));
    return all;
  }

 private:
  static bool stands(const Record& record) { return record.state == "armed" || record.state == "injected"; }

  RemoteResult act(const std::vector<std::string>& said) {
    const std::string& verb = said.front();
    if (verb == "version") return {.out = std::string{"pgfiredrill-helper "} + fault::kHelperVersion + "\n"};
    if (verb == "pending") return list();
    if (verb == "holds-address") return {.exit_status = static_cast<int>(addresses.count(said.at(1)) == 0)};
    if (verb == "arm") return arm(said);
    const auto found = records.find(said.at(1));
    if (found == records.end()) {
      if (verb == "check") return {.out = "state absent force no\nnothing is recorded\n"};
      return {.exit_status = fault::kNoRecord, .err = "nothing is recorded"};
    }
    return act_on(verb, found);
  }

  RemoteResult list() const {
    std::string out;
    for (const auto& [id, record] : records) {
      out += id + " " + record.state + " " + join(record.words, " ") + "\n";
    }
    return {.out = out};
  }

  RemoteResult arm(const std::vector<std::string>& said) {
    if (records.count(said.at(1)) > 0) return {.exit_status = fault::kHelperRefused, .err = "armed already"};
    records[said.at(1)] = {.state = "armed", .words = {said.begin() + 3, said.end()}};
    return {};
  }

  RemoteResult act_on(const std::string& verb, std::map<std::string, Record>::iterator found) {
    Record& record = found->second;
    if (verb == "inject") {
      if (record.state != "armed") return {.exit_status = fault::kNotArmed, .err = "not armed"};
      record.state = "injected";
      return {};
    }
    if (verb == "check") {
      const bool force = record.state == "injected" && in_force && !record.over;
      return {.out = "state " + record.state + " force " + (force ? "yes" : "no") + "\nit was looked at\n"};
    }
    if (verb == "revert") {
      if (stands(record)) record.state = "reverted";
      return {};
    }
    if (verb == "forget" && !stands(record)) {
      records.erase(found);
      return {};
    }
    return {.exit_status = fault::kStillInForce, .err = "revert it first"};
  }
};

/// A cluster of two members with a helper on each host, balancers, a consensus store and repositories.
class HostDrill {
 public:
  HostDrill() {
    ClusterDescription& cluster = drill.cluster;
    cluster.hosts = {{.name = "pg1", .address = "127.0.0.1"}, {.name = "pg2", .address = "127.0.0.2"}};
    cluster.members = {{.name = "pgnode01",
                        .host = "pg1",
                        .postgres = {.host = "127.0.0.1", .port = 5432},
                        .api_url = "https://127.0.0.1:8008/patroni",
                        .role = "leader",
                        .data_directory = "/data/17/main"},
                       {.name = "pgnode02",
                        .host = "pg2",
                        .postgres = {.host = "127.0.0.2", .port = 5432},
                        .api_url = "https://127.0.0.2:8008/patroni",
                        .role = "replica",
                        .data_directory = "/data/17/main"}};
    cluster.consensus = {{.name = "etcd1", .endpoint = "https://127.0.0.1:2379"},
                         {.name = "etcd2", .endpoint = "https://127.0.0.2:2379"}};
    cluster.statistics = {{.host = "pg1", .address = {.host = "127.0.0.1", .port = 7000}, .uri = "/"},
                          {.host = "pg2", .address = {.host = "127.0.0.2", .port = 7000}, .uri = "/"}};
    cluster.entry_points = {
        {.kind = EntryPointKind::balancer, .host = "pg1", .address = {.host = "127.0.0.1", .port = 5000}},
        {.kind = EntryPointKind::pooler, .host = "pg1", .address = {.host = "127.0.0.1", .port = 6432}},
        {.kind = EntryPointKind::pooler, .host = "pg2", .address = {.host = "127.0.0.2", .port = 6432}}};
    cluster.virtual_addresses = {{.address = "127.0.0.100", .manager = "keepalived", .holders = {"pg2"}}};
    cluster.repositories = {{.key = 1, .type = "s3", .location = "s3://one/data at 127.0.0.9:9001"},
                            {.key = 2, .type = "s3", .location = "s3://two/data at s3.example"}};
    on_pg1.getent = on_pg2.getent = "127.0.0.9       STREAM s3.example\n127.0.0.9       DGRAM\n";
    on_pg2.addresses = {"127.0.0.100"};
    drill.on_rest = [this](const HttpRequest& request) { return answer(request); };
    drill.probe.now.consensus_healthy = {"etcd1", "etcd2"};
    drill.probe.now.balancers = {{"pg1", {}}, {"pg2", {}}};
  }

  fault::Tools tools() {
    fault::Tools tools = drill.tools();
    tools.hosts = [this](const std::string& name) -> Host& { return name == "pg1" ? pg1 : pg2; };
    tools.power = power;
    return tools;
  }

  std::unique_ptr<fault::Fault> make(FaultSpec spec) {
    const fault::FaultKind* kind = fault::find_fault_kind(spec.kind);
    for (const fault::FaultOption& option : kind->options)
      spec.options.try_emplace(option.name, option.values.front());
    if (spec.target.empty()) spec.target = kind->targets.front();
    if (kind->holds && !spec.hold_s) spec.hold_s = 45;
    return kind->make(spec, tools());
  }

  /// Aimed at the cluster of now, which must do.
  std::unique_ptr<fault::Fault> aimed(FaultSpec spec) {
    auto fault = make(std::move(spec));
    const auto aim = fault->aim(drill.probe.now);
    EXPECT_TRUE(aim) << aim.error().message();
    return fault;
  }

  std::string refusal(FaultSpec spec) {
    const auto aim = make(std::move(spec))->aim(drill.probe.now);
    return aim ? "it was aimed" : aim.error().message();
  }

  FakeDrill drill;
  FakeHelper on_pg1;
  FakeHelper on_pg2;
  FakeHost pg1{"pg1", [this](const RemoteCommand& command) { return on_pg1.answer(command); }};
  FakeHost pg2{"pg2", [this](const RemoteCommand& command) { return on_pg2.answer(command); }};
  fault::PowerSwitch power;
  bool rest_answers = true;

 private:
  /// etcd1 leads the store; REST answers as long as the test says so.
  [[nodiscard]] Result<HttpResponse> answer(const HttpRequest& request) const {
    if (request.path.find("/v3/") == 0) {
      return HttpResponse{
          .status = 200,
          .body =
              R"({"header":{"member_id":"1","raft_term":"2"},"version":"3.5","leader":"1","dbSize":"1"})"};
    }
    if (!rest_answers) return Failure{.kind = FailureKind::timed_out, .what = "ask REST"};
    return HttpResponse{.status = 200, .body = "{}"};
  }
};

}  // namespace pgfiredrill::testing
