#pragma once

/// How often the leader's role began anew: by the timelines of servers out of recovery and the new leader's
/// history. A restart in place stays on its timeline and is none. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/durability.h"
#include "measure/server_states.h"

namespace pgfiredrill {

struct FailoverCount {
  std::optional<std::size_t> failovers;
  std::string why_not;
};

[[nodiscard]] FailoverCount count_failovers(const std::vector<DirectAnswer>& answers,
                                            const std::vector<EndedTimeline>& history, nanoseconds injected);

/// WAL that the leader of the injection had written in the last `span` before it was last seen taking writes
/// on its timeline; absent where it was not asked then.
[[nodiscard]] std::optional<double> written_at_the_end(const std::vector<DirectAnswer>& answers,
                                                       nanoseconds injected, nanoseconds span);

}  // namespace pgfiredrill
