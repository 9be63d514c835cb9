#include "fault-injectors/patroni_pause.h"

#include "base/text.h"
#include "fault-injectors/host_fault.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "patroni-pause";

class Pause final : public HostFault {
 public:
  using HostFault::HostFault;

  [[nodiscard]] Evidence verify_held() override {
    const Evidence hosts = HostFault::verify_held();
    if (!hosts.took) return hosts;
    const Evidence cluster = judge(tools().probe.look());
    return {.took = cluster.took, .sentence = join({hosts.sentence, cluster.sentence}, "; ")};
  }

  [[nodiscard]] Evidence verify_reverted() override {
    const Evidence resumed = watch(tools(), kRejoinPatience, [](const ClusterSnapshot& now) {
      if (now.members.empty()) return Evidence{.sentence = "Patroni answers nowhere"};
      return Evidence{.took = !now.paused, .sentence = now.paused ? "Patroni is still paused" : "resumed"};
    });
    if (!resumed.took) return resumed;
    return HostFault::verify_reverted();
  }

 protected:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot& now) override {
    if (now.paused) {
      return Failure{.what = "pause Patroni",
                     .where = tools().cluster.name,
                     .came_back = "it is paused already",
                     .hint = "That is somebody else's pause; `patronictl resume` ends it."};
    }
    std::vector<Breakage> breakages;
    for (const Victim& victim : victims) breakages.push_back({victim.host, {kName}});
    return breakages;
  }

  [[nodiscard]] Evidence judge(const ClusterSnapshot& now) override {
    return {.took = now.paused, .sentence = now.paused ? "Patroni is paused" : "Patroni is not paused"};
  }
};

}  // namespace

FaultKind patroni_pause() {
  return {.name = kName,
          .proves = "maintenance mode forgotten: what breaks while Patroni is paused, and that it resumes",
          .undone_by = "a timer on two hosts resumes, each only if the pause is still ours",
          .targets = {kTwoMembers},
          .holds = true,
          // By itself it changes nothing; what breaks while it holds is a fault of its own.
          .danger = [](const FaultSpec&) { return Danger::none; },
          .make = [](const FaultSpec& spec, Tools tools) { return std::make_unique<Pause>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
