#include "measure/repeat_readback.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/lsn.h"

namespace pgfiredrill {

namespace {

Failure not_read(const std::string& member, const std::string& why) {
  return {.kind = FailureKind::missing, .what = "read the ledger back", .where = member, .came_back = why};
}

std::uint32_t timeline_of(const Event& event) {
  const auto timeline = event.integer("timeline").value_or(0);
  const bool fits = timeline > 0 && timeline <= std::numeric_limits<std::uint32_t>::max();
  return fits ? static_cast<std::uint32_t>(timeline) : 0;
}

/// Empty where the read-back stands behind the fence.
std::string why_before_fence(const RepeatFacts& facts, const Event& readback) {
  if (!facts.fence) return "";
  const std::uint32_t fence_timeline = timeline_of(*facts.fence);
  const std::uint32_t timeline = timeline_of(readback);
  if (fence_timeline != 0 && timeline != 0 && timeline != fence_timeline) {
    return fmt::format("it was on timeline {}, the fence on {}", timeline, fence_timeline);
  }
  const auto fence_lsn = parse_lsn(facts.fence->text("lsn").value_or(""));
  const auto replayed = parse_lsn(readback.text("replay_lsn").value_or(""));
  if (fence_lsn && replayed && *replayed < *fence_lsn) return "it had not replayed up to the fence";
  return "";
}

Result<std::vector<NumberRun>> runs_of(const RunInput& input, const RepeatFacts& facts,
                                       const std::string& member, const Event& event) {
  if (!event.flag("ok").value_or(false)) {
    return not_read(member, event.text("reason").value_or("no reason was recorded"));
  }
  const std::string too_early = member == facts.leader_after ? "" : why_before_fence(facts, event);
  if (!too_early.empty()) return not_read(member, too_early);
  auto runs = input.readback(event.text("file").value_or(""));
  if (!runs) return not_read(member, runs.error().message());
  return runs;
}

ServerReadback readback_of(const RunInput& input, const RepeatFacts& facts, const std::string& member,
                           const Event& event) {
  return {.member = member,
          .timeline = timeline_of(event),
          .rows = static_cast<std::size_t>(std::max<std::int64_t>(event.integer("rows").value_or(0), 0)),
          .runs = runs_of(input, facts, member, event)};
}

}  // namespace

std::vector<ServerReadback> readbacks_of(const RunInput& input, const RepeatFacts& facts) {
  std::vector<ServerReadback> readbacks;
  for (const auto& [member, event] : facts.readbacks) {
    readbacks.push_back(readback_of(input, facts, member, event));
  }
  for (const auto& member : input.manifest.cluster.members) {
    if (facts.readbacks.count(member.name) > 0) continue;
    readbacks.push_back({.member = member.name, .runs = not_read(member.name, "it was not read back")});
  }
  return readbacks;
}

}  // namespace pgfiredrill
