#include "fault-injectors/long_transaction.h"

#include "fault-injectors/aiming.h"
#include "fault-injectors/held_session.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kCountTransactions =
    "SELECT count(*) FROM pg_catalog.pg_stat_activity"
    " WHERE application_name = $1 AND backend_xid IS NOT NULL AND state = 'idle in transaction'";

std::unique_ptr<Fault> make(const FaultSpec& spec, Tools tools) {
  return std::make_unique<HeldSession>(
      spec, std::move(tools),
      std::vector<std::string>{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT pg_catalog.txid_current()"},
      kCountTransactions);
}

}  // namespace

FaultKind long_transaction() {
  return {
      .name = "long-transaction",
      .proves = "a transaction that stays open does not hold up a change of leader, and is told of its end",
      .undone_by = "it is rolled back; it ends with this program too",
      .targets = {kLeader},
      .holds = true,
      .on_hosts = false,
      .danger = [](const FaultSpec&) { return Danger::none; },
      .make = make};
}

}  // namespace pgfiredrill::fault
