#include "fault-injectors/crash_loop.h"

#include <utility>

#include "fault-injectors/service_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {

FaultKind crash_loop() {
  return {
      .name = "crash-loop",
      .proves = "the cluster does without a service that systemd has given up on after crash upon crash",
      .undone_by = "the run starts the service again; so does a timer on the host if nobody asks for it",
      .targets = {kLeader, kReplica, kSyncStandby, kBalancer, kVipHolder},
      .names = true,
      // Not etcd: systemd waits 10 s between its starts and never gives up on it.
      .options = {{kService, {kPgbouncer, kHaproxy, kPatroni}}},
      .holds = true,
      .danger = [](const FaultSpec& spec) { return danger_of_losing(spec.option(kService), spec.target); },
      .make =
          [](const FaultSpec& spec, Tools tools) {
            return std::make_unique<ServiceFault>(spec, std::move(tools), "crash-loop");
          }};
}

}  // namespace pgfiredrill::fault
