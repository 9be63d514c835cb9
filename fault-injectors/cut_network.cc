#include "fault-injectors/cut_network.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "fault-injectors/cut_entries.h"
#include "fault-injectors/host_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kFrom = "from";
constexpr const char* kDirection = "direction";
constexpr const char* kAction = "action";

class CutNetwork final : public HostFault {
 public:
  using HostFault::HostFault;

  /// Whoever is locked out must not find out when it is time to undo it.
  [[nodiscard]] Result<void> inject() override {
    if (auto injected = HostFault::inject(); !injected) return injected;
    for (const Victim& victim : victims()) {
      const auto in = tools().hosts(victim.host).log_in_anew();
      if (!in) return undo_at_once(in.error());
    }
    return {};
  }

 private:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot&) override {
    std::vector<Breakage> breakages;
    for (const Victim& victim : victims) {
      const auto entries = cut_entries(option(kFrom), victim, tools());
      if (!entries) return entries.error();
      if (const auto open = leaves_ssh_open(victim, *entries); !open) return open.error();
      std::vector<std::string> words{"cut", option(kAction), option(kDirection)};
      words.insert(words.end(), entries->begin(), entries->end());
      breakages.push_back({.host = victim.host, .words = std::move(words)});
    }
    return breakages;
  }

  /// A service on the port by which the inventory says that we log in.
  [[nodiscard]] Result<void> leaves_ssh_open(const Victim& victim,
                                             const std::vector<std::string>& entries) const {
    const auto& hosts = tools().cluster.hosts;
    const auto host = std::find_if(hosts.begin(), hosts.end(),
                                   [&](const auto& known) { return known.name == victim.host; });
    if (host == hosts.end() || !host->ssh.port) return {};
    const std::string ssh = "/" + std::to_string(*host->ssh.port);
    for (const std::string& entry : entries) {
      if (!entry.starts_with("local/") || !entry.ends_with(ssh)) continue;
      return Failure{.what = "cut " + victim.host + " off",
                     .where = victim.host,
                     .came_back = "port " + ssh.substr(1) + " is the one by which we log in",
                     .hint = "Let SSH listen on a port of its own."};
    }
    return {};
  }

  [[nodiscard]] Failure undo_at_once(const Failure& locked_out) {
    Failure failure = locked_out;
    failure.what = "log in again after the cut";
    failure.hint = "The cut was undone at once: it must never lock us out.";
    if (const auto undone = revert(); !undone) {
      failure.transaction_in_doubt = true;
      failure.hint =
          "The cut could not be undone (" + undone.error().message() + "): the timer on the host undoes it.";
    }
    return failure;
  }

  /// What others are cut off from only the host can tell; what we are cut off from we can see.
  [[nodiscard]] Evidence judge(const ClusterSnapshot&) override {
    const std::string& from = option(kFrom);
    if (from != kFromTester && from != kFromPatroni) return {.took = true, .sentence = {}};
    std::vector<std::string> sentences;
    for (const Victim& victim : victims()) {
      Evidence silent = rest_is_silent(victim, tools());
      if (!silent.took) {
        silent.sentence += ": it may see us by another address than " + victim.host + " was told";
        return silent;
      }
      sentences.push_back(std::move(silent.sentence));
    }
    return {.took = true, .sentence = join(sentences, "; ")};
  }
};

Danger danger_of_cutting(const FaultSpec& spec) {
  const std::string from = spec.option(kFrom);
  const bool decides = from == kFromPeers || from == kFromConsensus;
  return decides ? danger_for_leaders(spec) : Danger::none;
}

}  // namespace

FaultKind cut_network() {
  return {.name = "cut-network",
          .proves = "a host that some can reach and others cannot leaves one leader, and clients find it",
          .undone_by = "the run removes the packet filter; so does a timer on the host if nobody asks for it",
          .targets = {kLeader, kReplica, kSyncStandby, kEtcdLeader, kReplicas, kAllMembers},
          .names = true,
          .options = {{kFrom,
                       {kFromPeers, kFromConsensus, kFromBalancers, kFromTester, kFromRepository1,
                        kFromRepository2, kFromPatroni}},
                      {kDirection, {"both", "in", "out"}},
                      {kAction, {"drop", "refuse"}}},
          .holds = true,
          .danger = danger_of_cutting,
          .make = [](const FaultSpec& spec, Tools tools) {
            return std::make_unique<CutNetwork>(spec, std::move(tools));
          }};
}

}  // namespace pgfiredrill::fault
