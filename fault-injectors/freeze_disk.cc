#include "fault-injectors/freeze_disk.h"

#include <utility>

#include "fault-injectors/disk_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {

FaultKind freeze_disk() {
  return {.name = "freeze-disk",
          .proves = "how long clients hang on a disk that hangs, which most clusters do not fail over for",
          .undone_by = "the run thaws the file system; so does a timer on the host",
          .targets = {kLeader, kReplica},
          .names = true,
          .holds = true,
          .danger = danger_for_leaders,
          .make = [](const FaultSpec& spec, Tools tools) {
            return std::make_unique<DiskFault>(spec, std::move(tools), "freeze-disk");
          }};
}

}  // namespace pgfiredrill::fault
