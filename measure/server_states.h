#pragma once

/// What the members' own PostgreSQL said when they were asked directly: `server_state` events as values that
/// can be reckoned with. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/event.h"

namespace pgfiredrill {

/// An answer describes the server at some instant between `asked_at` and `at`.
struct DirectAnswer {
  std::string member;
  nanoseconds asked_at{0};
  nanoseconds at{0};
  nanoseconds wall{0};  ///< this machine's wall clock at `at`; 0: not known
  bool in_recovery = false;
  std::uint32_t timeline = 0;        ///< 0: unknown
  std::optional<std::uint64_t> lsn;  ///< the insert position, in recovery the replayed one
  std::string postmaster_start;      ///< empty: unknown
  nanoseconds server_clock{0};       ///< since 1970 by the server's wall clock; 0: not known
};

/// Absent for questions that were not answered and for events that hold impossible instants.
[[nodiscard]] std::optional<DirectAnswer> direct_answer(const Event& event);

}  // namespace pgfiredrill
