#include "fault-injectors/reload_service.h"

#include <utility>

#include "fault-injectors/service_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

class ReloadService final : public ServiceFault {
 public:
  ReloadService(const FaultSpec& spec, Tools tools) : ServiceFault{spec, std::move(tools), "reload"} {}

 private:
  /// It goes on working: the helper's word that it was reloaded is all there is.
  [[nodiscard]] Evidence judge(const ClusterSnapshot&) override { return {.took = true, .sentence = {}}; }
};

}  // namespace

FaultKind reload_service() {
  return {.name = "reload-service",
          .proves = "a reload of the balancer sends no client to the wrong server",
          .undone_by = "nothing is to be undone",
          .targets = {kBalancer, kAllMembers, kVipHolder},
          .names = true,
          .options = {{kService, {kHaproxy}}},
          .danger = [](const FaultSpec&) { return Danger::none; },
          .make = [](const FaultSpec& spec,
                     Tools tools) { return std::make_unique<ReloadService>(spec, std::move(tools)); }};
}

}  // namespace pgfiredrill::fault
