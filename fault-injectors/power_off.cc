#include "fault-injectors/power_off.h"

#include <algorithm>
#include <future>
#include <utility>

#include "base/text.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/host_return.h"
#include "fault-injectors/services.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kPowerHint = "Give the command that switches hosts off and on: --power COMMAND.";

Failure no_power() {
  return {.kind = FailureKind::missing,
          .what = "switch hosts off and on",
          .came_back = "no command for it is known",
          .hint = kPowerHint};
}

class PowerOff final : public Fault {
 public:
  PowerOff(const FaultSpec& spec, Tools tools)
      : tools_{std::move(tools)}, wanted_{spec.target}, target_{spec.target} {}

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    if (!tools_.power) return no_power();
    auto victims = choose_victims(wanted_, now, tools_);
    if (!victims) return victims.error();
    victims_ = std::move(*victims);
    std::vector<std::string> hosts;
    for (const Victim& victim : victims_) hosts.push_back(victim.host);
    target_ = join(hosts, ", ");
    return {};
  }

  /// Hosts, not members: it is hosts that are to be switched on again, perhaps by another process.
  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    std::vector<std::string> lines;
    for (const std::string& host : hosts()) lines.push_back("the power command: off " + host);
    for (const std::string& host : hosts()) lines.push_back("the power command: on " + host);
    return lines;
  }

  /// All at the same moment: in turn, the last one would see the others go.
  [[nodiscard]] Result<void> inject() override {
    std::vector<std::future<Result<void>>> under_way;
    for (const std::string& host : hosts())
      under_way.push_back(std::async(std::launch::async, [this, host] { return tools_.power(host, false); }));
    Result<void> first;
    for (auto& each : under_way) {
      const auto off = each.get();
      if (!off && first) first = off.error();
    }
    if (first) return first;
    Failure failure = first.error();
    failure.transaction_in_doubt = true;  // what a command of the user's did before it failed is not known
    return failure;
  }

  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    return watch(tools_, deadline, [this](const ClusterSnapshot&) { return are_dark(); });
  }

  [[nodiscard]] Evidence verify_held() override { return are_dark(); }

  [[nodiscard]] Result<void> revert() override {
    if (hosts().empty()) return no_host();
    Result<void> first;
    for (const std::string& host : hosts()) {
      const auto on = switch_on(host);
      if (!on && first) first = on.error();
    }
    if (!first) return first;
    return wait_for_logins(machines(), tools_.clock, kBootPatience);
  }

  [[nodiscard]] Evidence verify_reverted() override {
    for (Host* host : machines()) {
      if (const auto in = host->log_in_anew(); !in) return {.sentence = in.error().message()};
    }
    Evidence back =
        watch(tools_, kRejoinPatience, [this](const ClusterSnapshot& now) { return are_back(now); });
    if (back.took) back.sentence = join({join(hosts(), ", ") + " is on", back.sentence}, "; ");
    return back;
  }

  [[nodiscard]] std::vector<std::string> by_hand() const override {
    std::vector<std::string> lines;
    for (const std::string& host : hosts()) lines.push_back("switch " + host + " on");
    return lines;
  }

 private:
  /// Of the cluster only: what is healed was told by a file.
  [[nodiscard]] std::vector<std::string> hosts() const {
    std::vector<std::string> known;
    for (const std::string& name : split_list(target_, ',')) {
      const auto& all = tools_.cluster.hosts;
      if (std::any_of(all.begin(), all.end(), [&](const auto& host) { return host.name == name; }))
        known.push_back(name);
    }
    return known;
  }

  [[nodiscard]] std::vector<Host*> machines() const {
    std::vector<Host*> machines;
    for (const std::string& host : hosts()) machines.push_back(&tools_.hosts(host));
    return machines;
  }

  [[nodiscard]] Failure no_host() const {
    return {.kind = FailureKind::missing,
            .what = "switch " + one_line(target_, 80) + " on",
            .came_back = "the inventory has no such host",
            .hint = {}};
  }

  /// Many commands fail for what is on already.
  [[nodiscard]] Result<void> switch_on(const std::string& host) const {
    if (tools_.hosts(host).log_in_anew()) return {};
    if (!tools_.power) return no_power();
    return tools_.power(host, true);
  }

  [[nodiscard]] Evidence are_dark() const {
    const auto all = machines();
    if (all.empty()) return {.sentence = "it was not aimed at"};
    for (Host* host : all) {
      if (host->log_in_anew()) return {.sentence = host->name() + " still lets us log in"};
    }
    return {.took = true, .sentence = join(hosts(), ", ") + " does not answer a login"};
  }

  [[nodiscard]] Evidence are_back(const ClusterSnapshot& now) const {
    Evidence all{.took = true, .sentence = {}};
    for (const std::string& host : hosts()) {
      for (const Member& member : tools_.cluster.members) {
        if (member.host != host) continue;
        all = is_back(now, member.name);
        if (!all.took) return all;
      }
    }
    return all;
  }

  Tools tools_;
  std::string wanted_;
  std::string target_;
  std::vector<Victim> victims_;
};

}  // namespace

FaultKind power_off() {
  return {.name = "power-off",
          .proves = "the loss of a whole host is survived, and what it takes for it to come back",
          .undone_by = "the run switches the host on by your own command; nothing else does",
          .targets = {kLeader, kReplica, kSyncStandby, kEtcdLeader, kVipHolder, kAllMembers},
          .names = true,
          .holds = true,
          .on_hosts = false,
          .danger = danger_for_leaders,
          .make = [](const FaultSpec& spec, Tools tools) {
            return std::make_unique<PowerOff>(spec, std::move(tools));
          }};
}

}  // namespace pgfiredrill::fault
