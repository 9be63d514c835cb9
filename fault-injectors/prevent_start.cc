#include "fault-injectors/prevent_start.h"

#include <utility>

#include "base/text.h"
#include "fault-injectors/data_directory.h"
#include "fault-injectors/host_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

class PreventStart final : public HostFault {
 public:
  using HostFault::HostFault;

 private:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot&) override {
    std::vector<Breakage> breakages;
    for (const Victim& victim : victims) {
      const auto directory = data_directory_of(victim, tools());
      if (!directory) return directory.error();
      breakages.push_back({.host = victim.host, .words = {"prevent-start", *directory}});
    }
    return breakages;
  }

  [[nodiscard]] Evidence judge(const ClusterSnapshot& now) override {
    std::vector<std::string> sentences;
    for (const Victim& victim : victims()) {
      Evidence silent = postgresql_is_silent(victim, now);
      if (!silent.took) return silent;
      sentences.push_back(std::move(silent.sentence));
    }
    return {.took = true, .sentence = join(sentences, "; ")};
  }
};

}  // namespace

FaultKind prevent_start() {
  return {
      .name = "prevent-start",
      .proves = "a PostgreSQL that crashes and cannot start again does not keep its cluster waiting",
      .undone_by = "the run puts the file right and Patroni starts PostgreSQL; so does a timer on the host",
      .targets = {kLeader, kReplica, kSyncStandby},
      .names = true,
      .holds = true,
      .danger = danger_for_leaders,
      .make = [](const FaultSpec& spec, Tools tools) {
        return std::make_unique<PreventStart>(spec, std::move(tools));
      }};
}

}  // namespace pgfiredrill::fault
