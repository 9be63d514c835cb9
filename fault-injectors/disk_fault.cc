#include "fault-injectors/disk_fault.h"

#include <utility>

#include "fault-injectors/data_directory.h"

namespace pgfiredrill::fault {

DiskFault::DiskFault(const FaultSpec& spec, Tools tools, std::string verb, std::vector<std::string> arguments)
    : HostFault{spec, std::move(tools)}, verb_{std::move(verb)}, arguments_{std::move(arguments)} {}

Result<std::vector<Breakage>> DiskFault::plan(const std::vector<Victim>& victims, const ClusterSnapshot&) {
  std::vector<Breakage> breakages;
  for (const Victim& victim : victims) {
    const auto directory = data_directory_of(victim, tools());
    if (!directory) return directory.error();
    std::vector<std::string> words{verb_, *directory};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    breakages.push_back({.host = victim.host, .words = std::move(words)});
  }
  return breakages;
}

}  // namespace pgfiredrill::fault
