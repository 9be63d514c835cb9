#pragma once

/// The operations of one repeat, folded: its instants, its canary paths and its ledger.

#include <cstddef>
#include <string>
#include <vector>

#include "measure/heartbeat_lag.h"
#include "measure/judge.h"
#include "measure/ledger_outcomes.h"
#include "measure/path_fold.h"
#include "measure/repeat_facts.h"
#include "measure/repeat_times.h"
#include "measure/repeat_views.h"
#include "measure/split_brain.h"
#include "measure/write_servers.h"

namespace pgfiredrill {

struct RepeatTraffic {
  RepeatTimes times;
  std::vector<MeasuredPath> paths;  ///< canary paths, in the manifest's order
  LedgerOutcomes ledger;
  RepeatViews views;
  StaleWriteFold stale_writes;
  HeartbeatLag::Result heartbeat_lag;
  WriteServers write_servers;
  std::size_t strays = 0;           ///< operations of paths that the manifest does not have
  std::string unreadable;           ///< why the operations could not be read; empty: they could
  std::vector<std::string> damage;  ///< files that end in something that is no record
};

/// Where traffic did not stop, the record is read for the last operation that was due.
[[nodiscard]] RepeatTimes times_of(const RunInput& input, const RepeatFacts& facts);

[[nodiscard]] RepeatTraffic read_traffic(const RunInput& input, const RepeatFacts& facts);

}  // namespace pgfiredrill
