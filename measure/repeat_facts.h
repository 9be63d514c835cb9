#pragma once

/// What the events of a run say of each repeat. Pure; events in the order of their file.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/durability.h"
#include "measure/instrument_check.h"
#include "measure/recovery.h"
#include "measure/server_states.h"
#include "record/event.h"

namespace pgfiredrill {

struct RepeatFacts {
  std::size_t drill = 0;
  std::size_t repeat = 0;
  nanoseconds from{0};
  nanoseconds to = nanoseconds::max();  ///< beginning of the next repeat

  std::optional<nanoseconds> traffic_started;
  std::optional<nanoseconds> traffic_stopped;
  std::optional<nanoseconds> baseline_started;
  std::optional<Event> fault_sent;
  std::optional<Event> fault_confirmed;
  std::vector<Event> further_confirmed;  ///< of the same repeat's further faults
  std::optional<std::string> not_taken;
  std::optional<Event> fault_reverted;
  std::optional<Event> revert_verified;

  std::string leader_before;  ///< when the fault was sent
  std::string leader_after;   ///< the last one known
  std::vector<HealthSample> health;
  std::vector<LoopStall> stalls;
  std::vector<LoopLoad> loads;
  std::vector<DirectAnswer> direct_answers;
  std::vector<Event> clients;  ///< of sessions held as applications hold them
  double suspended_s = 0;

  std::optional<Event> fence;
  std::map<std::string, Event> readbacks;  ///< the last one of each member
  std::vector<EndedTimeline> history;

  std::string stage;  ///< the last one that began
  std::optional<std::string> outcome;
  std::string outcome_reason;
};

[[nodiscard]] std::vector<RepeatFacts> repeats_of(const std::vector<Event>& events);

}  // namespace pgfiredrill
