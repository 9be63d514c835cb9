#include "fault-injectors/fault.h"

#include <algorithm>

#include "fault-injectors/connection_storm.h"
#include "fault-injectors/crash_loop.h"
#include "fault-injectors/cut_network.h"
#include "fault-injectors/fill_disk.h"
#include "fault-injectors/freeze_disk.h"
#include "fault-injectors/freeze_process.h"
#include "fault-injectors/held_lock.h"
#include "fault-injectors/hold_receive.h"
#include "fault-injectors/kill_process.h"
#include "fault-injectors/long_transaction.h"
#include "fault-injectors/patroni_config.h"
#include "fault-injectors/patroni_failover.h"
#include "fault-injectors/patroni_pause.h"
#include "fault-injectors/patroni_reinitialize.h"
#include "fault-injectors/patroni_restart.h"
#include "fault-injectors/patroni_switchover.h"
#include "fault-injectors/power_off.h"
#include "fault-injectors/prevent_start.h"
#include "fault-injectors/reboot_host.h"
#include "fault-injectors/reload_service.h"
#include "fault-injectors/stop_service.h"

namespace pgfiredrill::fault {

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds{
      kill_process(),       stop_service(),     freeze_process(),   crash_loop(),
      prevent_start(),      reload_service(),   reboot_host(),      power_off(),
      cut_network(),        hold_receive(),     fill_disk(),        freeze_disk(),
      patroni_switchover(), patroni_failover(), patroni_restart(),  patroni_reinitialize(),
      patroni_pause(),      patroni_config(),   connection_storm(), long_transaction(),
      held_lock(),
  };
  return kinds;
}

const FaultKind* find_fault_kind(const std::string& name) {
  const auto& kinds = fault_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const FaultKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace pgfiredrill::fault
