#include "fault-injectors/reboot_host.h"

#include <utility>

#include "fault-injectors/host_fault.h"
#include "fault-injectors/host_return.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

class RebootHost final : public HostFault {
 public:
  using HostFault::HostFault;

  /// What the helper has to say of it can be asked for only once the host is back.
  [[nodiscard]] Result<void> revert() override {
    std::vector<Host*> hosts;
    for (const Victim& victim : victims()) hosts.push_back(&tools().hosts(victim.host));
    if (auto back = wait_for_logins(hosts, tools().clock, kBootPatience); !back) return back;
    return HostFault::revert();
  }

 private:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot&) override {
    std::vector<Breakage> breakages;
    for (const Victim& victim : victims) breakages.push_back({.host = victim.host, .words = {"reboot"}});
    return breakages;
  }

  [[nodiscard]] bool all_at_once() const override { return true; }
  [[nodiscard]] bool silence_proves_it() const override { return true; }
};

}  // namespace

FaultKind reboot_host() {
  return {.name = "reboot-host",
          .proves = "a host that reboots without warning comes back into the cluster by itself",
          .undone_by = "the host boots; the run switches back at its end",
          .targets = {kLeader, kReplica, kSyncStandby, kEtcdLeader, kVipHolder, kAllMembers},
          .names = true,
          .danger = danger_for_leaders,
          .make = [](const FaultSpec& spec, Tools tools) {
            return std::make_unique<RebootHost>(spec, std::move(tools));
          }};
}

}  // namespace pgfiredrill::fault
