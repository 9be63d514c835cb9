#include "fault-injectors/held_lock.h"

#include "fault-injectors/aiming.h"
#include "fault-injectors/held_session.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kLock = "lock";
constexpr const char* kAdvisory = "advisory";
constexpr const char* kTable = "table";

/// Locks of a whole table that its writers take too: a stronger one would stop the traffic, and so measure
/// itself.
constexpr const char* kLockTable = "LOCK TABLE pgfiredrill.ledger IN ROW EXCLUSIVE MODE";
constexpr const char* kLockAdvisory = "SELECT pg_catalog.pg_advisory_xact_lock(7301, 1)";

constexpr const char* kCountLocks =
    "SELECT count(*) FROM pg_catalog.pg_locks AS l JOIN pg_catalog.pg_stat_activity AS a USING (pid)"
    " WHERE a.application_name = $1 AND l.granted AND l.database = a.datid AND ";

std::unique_ptr<Fault> make(const FaultSpec& spec, Tools tools) {
  const bool table = spec.option(kLock) == kTable;
  return std::make_unique<HeldSession>(
      spec, std::move(tools), std::vector<std::string>{"BEGIN", table ? kLockTable : kLockAdvisory},
      std::string{kCountLocks} +
          (table ? "l.locktype = 'relation' AND l.mode = 'RowExclusiveLock'" : "l.locktype = 'advisory'"));
}

}  // namespace

FaultKind held_lock() {
  return {
      .name = "held-lock",
      .proves = "a lock that is held when its leader goes is gone on the next one, and blocks nobody there",
      .undone_by = "its transaction is rolled back; it ends with this program too",
      .targets = {kLeader},
      .options = {{kLock, {kAdvisory, kTable}}},
      .holds = true,
      .on_hosts = false,
      .danger = [](const FaultSpec&) { return Danger::none; },
      .make = make};
}

}  // namespace pgfiredrill::fault
