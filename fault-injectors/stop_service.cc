#include "fault-injectors/stop_service.h"

#include <utility>

#include "fault-injectors/service_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {

FaultKind stop_service() {
  return {
      .name = "stop-service",
      .proves = "the cluster does without a service that somebody has stopped, and takes it back",
      .undone_by = "the run starts the service again; so does a timer on the host if nobody asks for it",
      .targets = {kLeader, kReplica, kSyncStandby, kEtcdLeader, kEtcdFollower, kEtcdQuorum, kEtcdAll,
                  kVipHolder, kBalancer, kBalancersButOne, kReplicas, kAllMembers},
      .names = true,
      .options = {{kService, {kPatroni, kPgbouncer, kHaproxy, kKeepalived, kEtcd}}},
      .holds = true,
      .danger = [](const FaultSpec& spec) { return danger_of_losing(spec.option(kService), spec.target); },
      .make = [](const FaultSpec& spec,
                 Tools tools) { return std::make_unique<ServiceFault>(spec, std::move(tools), "stop"); }};
}

}  // namespace pgfiredrill::fault
