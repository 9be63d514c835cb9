#include "fault-injectors/freeze_process.h"

#include <utility>

#include "fault-injectors/service_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {

FaultKind freeze_process() {
  return {
      .name = "freeze-process",
      .proves =
          "a service that hangs without dying is noticed and worked around, and does no harm when "
          "it wakes up",
      .undone_by = "the run lets the processes go on; so does a timer on the host if nobody asks for it",
      .targets = {kLeader, kReplica, kSyncStandby, kEtcdLeader, kEtcdFollower, kEtcdQuorum, kEtcdAll,
                  kVipHolder, kBalancer, kBalancersButOne, kReplicas, kAllMembers},
      .names = true,
      .options = {{kService, {kPostgresql, kPostmaster, kPatroni, kPgbouncer, kHaproxy, kKeepalived, kEtcd}}},
      .holds = true,
      .danger = [](const FaultSpec& spec) { return danger_of_losing(spec.option(kService), spec.target); },
      .make = [](const FaultSpec& spec,
                 Tools tools) { return std::make_unique<ServiceFault>(spec, std::move(tools), "freeze"); }};
}

}  // namespace pgfiredrill::fault
