#include "fault-injectors/fill_disk.h"

#include <utility>

#include "fault-injectors/disk_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kReserve = "reserve_mb";

}  // namespace

FaultKind fill_disk() {
  return {.name = "fill-disk",
          .proves = "a full disk takes one server away, not the cluster, and its data is sound afterwards",
          .undone_by = "the run removes the file that fills it; so does a timer on the host",
          .targets = {kLeader, kReplica},
          .names = true,
          .options = {{kReserve, {"64", "256"}}},
          .holds = true,
          .danger = danger_for_leaders,
          .make = [](const FaultSpec& spec, Tools tools) {
            return std::make_unique<DiskFault>(spec, std::move(tools), "fill",
                                               std::vector<std::string>{spec.option(kReserve)});
          }};
}

}  // namespace pgfiredrill::fault
