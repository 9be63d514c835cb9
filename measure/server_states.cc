#include "measure/server_states.h"

#include <limits>

#include "base/lsn.h"
#include "base/text.h"
#include "measure/plausible_instant.h"

namespace pgfiredrill {

namespace {

/// Wall clocks up to the year 2116: differences of differences of them and of instants stay in range.
constexpr nanoseconds kLatestWall{nanoseconds::rep{1} << 62};

nanoseconds wall_or_unknown(nanoseconds wall) {
  return wall > nanoseconds{0} && wall <= kLatestWall ? wall : nanoseconds{0};
}

nanoseconds server_clock_of(const Event& event) {
  const auto microseconds = parse_integer(event.text("server_clock").value_or(""));
  if (!microseconds || *microseconds < 0 || *microseconds > kLatestWall.count() / 1000) return nanoseconds{0};
  return nanoseconds{*microseconds * 1000};
}

std::uint32_t timeline_of(const Event& event) {
  const std::int64_t timeline = event.integer("timeline").value_or(0);
  return timeline > 0 && timeline <= std::numeric_limits<std::uint32_t>::max()
             ? static_cast<std::uint32_t>(timeline)
             : 0;
}

}  // namespace

std::optional<DirectAnswer> direct_answer(const Event& event) {
  if (event.kind != event::kServerState || !event.flag("reachable").value_or(false)) return std::nullopt;
  const auto in_recovery = event.flag("in_recovery");
  const nanoseconds asked_at{event.integer("asked_at").value_or(-1)};
  if (!in_recovery || !plausible_instant(event.at) || !plausible_instant(asked_at) || asked_at > event.at) {
    return std::nullopt;
  }
  return DirectAnswer{.member = event.text("member").value_or(""),
                      .asked_at = asked_at,
                      .at = event.at,
                      .wall = wall_or_unknown(event.wall),
                      .in_recovery = *in_recovery,
                      .timeline = timeline_of(event),
                      .lsn = parse_lsn(event.text("lsn").value_or("")),
                      .postmaster_start = event.text("postmaster_start").value_or(""),
                      .server_clock = server_clock_of(event)};
}

}  // namespace pgfiredrill
