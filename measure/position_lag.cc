#include "measure/position_lag.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace pgfiredrill {

namespace {

struct LeaderPosition {
  nanoseconds at{0};
  std::uint64_t lsn = 0;
};

/// Of each timeline, in the order of time.
using LeaderPositions = std::map<std::uint32_t, std::vector<LeaderPosition>>;

LeaderPositions leader_positions(const std::vector<DirectAnswer>& answers) {
  LeaderPositions positions;
  for (const DirectAnswer& answer : answers) {
    if (answer.in_recovery || answer.timeline == 0 || !answer.lsn) continue;
    positions[answer.timeline].push_back({answer.at, *answer.lsn});
  }
  for (auto& [timeline, list] : positions) {
    std::stable_sort(list.begin(), list.end(),
                     [](const LeaderPosition& a, const LeaderPosition& b) { return a.at < b.at; });
  }
  return positions;
}

std::optional<std::uint64_t> last_before(const LeaderPositions& positions, std::uint32_t timeline,
                                         nanoseconds at) {
  const auto found = positions.find(timeline);
  if (found == positions.end()) return std::nullopt;
  const auto& list = found->second;
  const auto after = std::upper_bound(
      list.begin(), list.end(), at,
      [](nanoseconds instant, const LeaderPosition& position) { return instant < position.at; });
  if (after == list.begin()) return std::nullopt;
  return std::prev(after)->lsn;
}

}  // namespace

PositionLag measure_position_lag(const std::vector<DirectAnswer>& answers,
                                 const std::vector<std::string>& members, nanoseconds from, nanoseconds to) {
  const LeaderPositions positions = leader_positions(answers);
  std::map<std::pair<std::string, std::string>, std::uint32_t> timelines;  // by member and postmaster
  std::map<std::string, double> most;
  for (const DirectAnswer& answer : answers) {
    if (!answer.in_recovery || !answer.lsn || answer.at > to) continue;
    std::uint32_t& timeline = timelines[{answer.member, answer.postmaster_start}];
    if (answer.timeline != 0) timeline = answer.timeline;
    if (answer.asked_at < from) continue;
    const auto leader = last_before(positions, timeline, answer.asked_at);
    if (!leader) continue;
    const double behind = *leader > *answer.lsn ? static_cast<double>(*leader - *answer.lsn) : 0;
    double& highest = most.try_emplace(answer.member, behind).first->second;
    highest = std::max(highest, behind);
  }
  PositionLag lag;
  for (const std::string& member : members) {
    const auto found = most.find(member);
    if (found == most.end()) continue;
    lag.max_bytes = std::max(lag.max_bytes.value_or(0), found->second);
    lag.nodes.push_back({.member = member, .max_bytes = found->second});
  }
  if (!lag.max_bytes) {
    lag.why_not = answers.empty() ? "no member's own PostgreSQL was asked directly"
                                  : "no replica was seen on the timeline of a leader that was seen";
  }
  return lag;
}

}  // namespace pgfiredrill
