#include "measure/durability.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "measure/readback_lookup.h"

namespace pgfiredrill {

namespace {

using Writes = std::vector<LedgerWrite>;

void count_outcomes(Durability& durability, const Writes& writes, std::size_t never_sent) {
  durability.attempted = writes.size() + never_sent;
  durability.failed = never_sent;
  for (const LedgerWrite& write : writes) {
    switch (write.state) {
      case WriteState::acknowledged:
        ++durability.acknowledged;
        break;
      case WriteState::weak:
        ++durability.weak;
        break;
      case WriteState::failed:
        ++durability.failed;
        break;
      case WriteState::in_doubt:
      case WriteState::sent:
        ++durability.in_doubt;
        break;
    }
  }
}

/// Numbers between which nothing else of the stream was acknowledged belong to one range.
class LostRanges {
 public:
  void on(const LedgerWrite& write, bool lost) {
    if (!lost) {
      unbroken_ = false;
      return;
    }
    if (unbroken_ && ranges_.back().stream == write.stream) {
      ranges_.back().last = write.number;
    } else {
      ranges_.push_back({write.stream, write.number, write.number});
    }
    unbroken_ = true;
  }
  [[nodiscard]] std::vector<NumberRange> finish() && { return std::move(ranges_); }

 private:
  std::vector<NumberRange> ranges_;
  bool unbroken_ = false;
};

void compare_with_leader(Durability& durability, const Writes& writes, const std::vector<NumberRun>& runs) {
  ReadbackLookup lookup{runs};
  LostRanges ranges;
  std::size_t lost = 0, weak_lost = 0, unexpected = 0, duplicated = 0, in_doubt_present = 0;
  for (const LedgerWrite& write : writes) {
    const std::size_t copies = lookup.copies(write.stream, write.number);
    if (copies > 1) ++duplicated;
    if (write.state == WriteState::acknowledged) {
      if (copies == 0) ++lost;
      ranges.on(write, copies == 0);
    }
    if (write.state == WriteState::weak && copies == 0) ++weak_lost;
    if (write.state == WriteState::failed && copies > 0) ++unexpected;
    if (write.state == WriteState::in_doubt && copies > 0) ++in_doubt_present;
  }
  durability.lost = lost;
  durability.weak_lost = weak_lost;
  durability.unexpected = unexpected;
  durability.duplicated = duplicated;
  durability.in_doubt_present = in_doubt_present;
  durability.lost_ranges = std::move(ranges).finish();
}

std::size_t count_missing(const Writes& writes, const std::vector<NumberRun>& runs) {
  ReadbackLookup lookup{runs};
  return static_cast<std::size_t>(std::count_if(writes.begin(), writes.end(), [&](const LedgerWrite& write) {
    return write.state == WriteState::acknowledged && lookup.copies(write.stream, write.number) == 0;
  }));
}

NodeDurability node_of(const ServerReadback& readback, const Writes& writes) {
  NodeDurability node{.member = readback.member, .timeline = readback.timeline, .rows = readback.rows};
  node.read = readback.runs.has_value();
  if (node.read) {
    node.lost = count_missing(writes, *readback.runs);
  } else {
    node.why_not = readback.runs.error().came_back;
  }
  return node;
}

/// The furthest that acknowledged writes reached past the point where their timeline ended.
std::optional<std::int64_t> rpo_of(const DurabilityInput& input) {
  std::optional<std::int64_t> rpo;
  for (const EndedTimeline& ended : input.history) {
    const auto highest = input.outcomes.highest_lsn().find(ended.timeline);
    if (highest == input.outcomes.highest_lsn().end()) continue;
    const std::uint64_t beyond = highest->second > ended.fork_lsn ? highest->second - ended.fork_lsn : 0;
    const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    rpo = std::max(rpo.value_or(0), static_cast<std::int64_t>(std::min(beyond, most)));
  }
  return rpo;
}

std::string why_leader_unknown(const DurabilityInput& input, const ServerReadback* leader) {
  if (!input.nothing_read.empty()) return input.nothing_read;
  if (input.leader.empty()) return "no leader was known when the ledger was read back";
  if (leader == nullptr) return fmt::format("the ledger was not read back from the leader {}", input.leader);
  return fmt::format("the ledger could not be read back from the leader {}: {}", input.leader,
                     leader->runs.error().came_back);
}

}  // namespace

JudgedDurability judge_durability(const DurabilityInput& input) {
  JudgedDurability judged;
  const Writes writes = input.outcomes.finish();
  count_outcomes(judged.durability, writes, input.outcomes.never_sent());
  const auto leader =
      std::find_if(input.readbacks.begin(), input.readbacks.end(), [&](const ServerReadback& readback) {
        return !input.leader.empty() && readback.member == input.leader;
      });
  const ServerReadback* of_leader = leader == input.readbacks.end() ? nullptr : &*leader;
  if (of_leader != nullptr && of_leader->runs) {
    compare_with_leader(judged.durability, writes, *of_leader->runs);
  } else {
    judged.why_no_leader = why_leader_unknown(input, of_leader);
  }
  for (const ServerReadback& readback : input.readbacks) {
    judged.durability.nodes.push_back(node_of(readback, writes));
  }
  judged.durability.rpo_bytes = rpo_of(input);
  if (!judged.durability.rpo_bytes) judged.why_no_rpo = "no timeline on which writes were acknowledged ended";
  return judged;
}

}  // namespace pgfiredrill
