#pragma once

/// What became of the sessions that applications would have held across the fault. Pure, over the `client_…`
/// events of one repeat.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/finding.h"
#include "measure/results.h"
#include "record/event.h"

namespace pgfiredrill {

struct ClientsInput {
  const std::vector<Event>& events;  ///< of the repeat; other kinds are passed over
  nanoseconds injected{0};
  /// When another postmaster than before had acknowledged its first write.
  std::optional<nanoseconds> new_leader_at;
  /// Start times as the events write them, of the postmaster that acknowledged the last write; empty:
  /// unknown.
  std::string last_writer;
};

/// By entry point, each in the order of its numbers.
[[nodiscard]] std::vector<ClientResult> judge_clients(const ClientsInput& input);

/// One finding for all sessions that were stuck, one for all that went on reading only. `label` says which
/// repeat ("switchover, repeat 2").
[[nodiscard]] std::vector<Finding> find_client_trouble(const std::string& label,
                                                       const std::vector<ClientResult>& clients);

}  // namespace pgfiredrill
