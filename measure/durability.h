#pragma once

/// The ledger against what the servers hold after the fence. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "measure/ledger_outcomes.h"
#include "measure/results.h"
#include "record/readback.h"

namespace pgfiredrill {

/// What one server held, or why that is not known.
struct ServerReadback {
  std::string member;
  std::uint32_t timeline = 0;
  std::size_t rows = 0;
  Result<std::vector<NumberRun>> runs;
};

/// A timeline that is in the history of the one that the leader is on now.
struct EndedTimeline {
  std::uint32_t timeline = 0;
  std::uint64_t fork_lsn = 0;
};

struct DurabilityInput {
  const LedgerOutcomes& outcomes;
  std::string leader;  ///< empty: not known
  std::vector<ServerReadback> readbacks;
  std::vector<EndedTimeline> history;
  std::string nothing_read;  ///< where no server was read back at all: why
};

struct JudgedDurability {
  Durability durability;
  std::string why_no_leader;  ///< why the leader's rows are not known; empty: they are
  std::string why_no_rpo;
};

[[nodiscard]] JudgedDurability judge_durability(const DurabilityInput& input);

}  // namespace pgfiredrill
