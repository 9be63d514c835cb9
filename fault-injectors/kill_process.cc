#include "fault-injectors/kill_process.h"

#include <map>
#include <utility>

#include "base/text.h"
#include "fault-injectors/host_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kSignal = "signal";
constexpr const char* kKill = "KILL";
constexpr const char* kInterrupt = "INT";

bool is_postgresql(const std::string& service) {
  return service == kPostmaster || service == kPostgresql;
}

class KillProcess final : public HostFault {
 public:
  using HostFault::HostFault;

 private:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot& now) override {
    const std::string& service = option(kService);
    const std::string& signal = option(kSignal);
    if (service == kPostgresql && signal != kKill) {
      return Failure{.what = "aim at every process of PostgreSQL",
                     .came_back = "only SIGKILL ends all of them",
                     .hint = "Say `service: postmaster`, which ends its own processes, or `signal: KILL`."};
    }
    before_.clear();
    std::vector<Breakage> breakages;
    for (const Victim& victim : victims) {
      const auto services = services_on(service, victim, tools());
      if (!services) return services.error();
      for (const HostService& each : *services) {
        std::vector<std::string> words{"kill", each.name, signal};
        if (!each.data_directory.empty()) words.push_back(each.data_directory);
        breakages.push_back({.host = victim.host, .words = std::move(words)});
      }
      const auto server = now.servers.find(victim.member);
      if (server != now.servers.end() && server->second.answered)
        before_[victim.member] = server->second.postmaster_start;
    }
    return breakages;
  }

  /// Of PostgreSQL both must say so: the host, that the process is gone, and the cluster, that its server is
  /// another. The other services are back before anybody could look.
  [[nodiscard]] Evidence judge(const ClusterSnapshot& now) override {
    if (!is_postgresql(option(kService))) return {.took = true, .sentence = {}};
    std::vector<std::string> sentences;
    for (const Victim& victim : victims()) {
      Evidence another = is_another(victim.member, now);
      if (!another.took) return another;
      sentences.push_back(std::move(another.sentence));
    }
    return {.took = true, .sentence = join(sentences, "; ")};
  }

  [[nodiscard]] Evidence is_another(const std::string& member, const ClusterSnapshot& now) const {
    const auto server = now.servers.find(member);
    if (server == now.servers.end()) return {.sentence = "no server of " + member + " was asked"};
    if (!server->second.answered)
      return {.took = true, .sentence = "no PostgreSQL of " + member + " answers"};
    const auto before = before_.find(member);
    if (before == before_.end() || server->second.postmaster_start == before->second)
      return {.sentence = "the same PostgreSQL of " + member + " answers"};
    return {.took = true, .sentence = "a new postmaster of " + member + " answers"};
  }

  std::map<std::string, std::string> before_;  ///< member → start of its postmaster, where it answered
};

}  // namespace

FaultKind kill_process() {
  return {
      .name = "kill-process",
      .proves = "a process that crashes is started again, or another takes over, within the time allowed",
      .undone_by = "Patroni or systemd starts it again; the run switches back at its end",
      .targets = {kLeader, kReplica, kSyncStandby, kEtcdLeader, kEtcdFollower, kVipHolder, kBalancer},
      .names = true,
      .options = {{kService, {kPostmaster, kPostgresql, kPatroni, kPgbouncer, kHaproxy, kKeepalived, kEtcd}},
                  {kSignal, {kKill, kInterrupt}}},
      .danger = [](const FaultSpec& spec) { return danger_of_losing(spec.option(kService), spec.target); },
      .make = [](const FaultSpec& spec,
                 Tools tools) { return std::make_unique<KillProcess>(spec, std::move(tools)); }};
}

}  // namespace pgfiredrill::fault
