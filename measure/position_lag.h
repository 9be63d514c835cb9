#pragma once

/// How many bytes of WAL replicas were behind, by the servers' own positions. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/results.h"
#include "measure/server_states.h"

namespace pgfiredrill {

struct PositionLag {
  std::optional<double> max_bytes;
  std::vector<ReplicaLag::Node> nodes;  ///< one for each member that was a replica of a leader that was seen
  std::string why_not;                  ///< where `max_bytes` is absent
};

/// From `from` to `to`. A replica's replayed position is compared with the last position that the leader of
/// the replica's timeline had told *before* the replica was asked: what the leader wrote in between is not
/// counted, so the lag is never exaggerated. A replica that tells no timeline (its receiver stands still) is
/// on the one that it told last.
[[nodiscard]] PositionLag measure_position_lag(const std::vector<DirectAnswer>& answers,
                                               const std::vector<std::string>& members, nanoseconds from,
                                               nanoseconds to);

}  // namespace pgfiredrill
