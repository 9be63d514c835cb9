#include "fault-injectors/service_fault.h"

#include <utility>

#include "base/text.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {

ServiceFault::ServiceFault(const FaultSpec& spec, Tools tools, std::string verb)
    : HostFault{spec, std::move(tools)}, verb_{std::move(verb)} {}

Result<std::vector<Breakage>> ServiceFault::plan(const std::vector<Victim>& victims, const ClusterSnapshot&) {
  std::vector<Breakage> breakages;
  for (const Victim& victim : victims) {
    const auto services = services_on(option(kService), victim, tools());
    if (!services) return services.error();
    for (const HostService& service : *services) {
      std::vector<std::string> words{verb_, service.name};
      if (!service.data_directory.empty()) words.push_back(service.data_directory);
      breakages.push_back({.host = victim.host, .words = std::move(words)});
    }
  }
  return breakages;
}

Evidence ServiceFault::judge(const ClusterSnapshot& now) {
  std::vector<std::string> sentences;
  for (const Victim& victim : victims()) {
    Evidence down = shows_down(option(kService), victim, now, tools());
    if (!down.took) return down;
    sentences.push_back(std::move(down.sentence));
  }
  return {.took = true, .sentence = join(sentences, "; ")};
}

}  // namespace pgfiredrill::fault
