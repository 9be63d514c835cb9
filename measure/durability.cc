#include "measure/durability.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "measure/readback_pages.h"

namespace pgfiredrill {

namespace {

std::size_t count(std::uint64_t bits) {
  return static_cast<std::size_t>(std::popcount(bits));
}

void count_outcomes(Durability& durability, const LedgerOutcomes& outcomes) {
  durability.attempted = durability.failed = outcomes.never_sent();
  outcomes.pages().each([&](std::uint16_t, std::uint64_t, const WritePage& page) {
    for (const WriteStates& states : page) {
      durability.attempted += count(states.all());
      durability.acknowledged += count(states.acknowledged());
      durability.weak += count(states.weak());
      durability.in_doubt += count(states.in_doubt());
      durability.failed += count(states.failed());
    }
  });
}

/// Numbers between which nothing else of the stream was acknowledged belong to one range.
class LostRanges {
 public:
  /// Of 64 numbers from `first` on: those that were acknowledged, and those of them that are lost.
  void on(std::uint16_t stream, std::uint64_t first, std::uint64_t acknowledged, std::uint64_t lost) {
    if (lost == 0) {
      if (acknowledged != 0) unbroken_ = false;
      return;
    }
    for (; acknowledged != 0; acknowledged &= acknowledged - 1) {
      const auto position = static_cast<std::uint64_t>(std::countr_zero(acknowledged));
      on_number(stream, first + position, (lost >> position & 1) != 0);
    }
  }
  [[nodiscard]] std::vector<NumberRange> finish() && { return std::move(ranges_); }

 private:
  void on_number(std::uint16_t stream, std::uint64_t number, bool lost) {
    if (!lost) {
      unbroken_ = false;
      return;
    }
    if (unbroken_ && ranges_.back().stream == stream) {
      ranges_.back().last = number;
      ++ranges_.back().writes;
    } else {
      ranges_.push_back({.stream = stream, .first = number, .last = number, .writes = 1});
    }
    unbroken_ = true;
  }

  std::vector<NumberRange> ranges_;
  bool unbroken_ = false;
};

/// `compare(stream, number of the first bit, states, present, more than once)` for each 64 numbers.
template <typename Compare>
void lay_against(const LedgerOutcomes& outcomes, const std::vector<NumberRun>& runs, Compare compare) {
  ReadbackPages readback{runs};
  outcomes.pages().each([&](std::uint16_t stream, std::uint64_t first, const WritePage& page) {
    readback.turn_to(stream, first);
    for (std::size_t word = 0; word < page.size(); ++word) {
      compare(stream, first + 64 * word, page[word], readback.present()[word],
              readback.more_than_once()[word]);
    }
  });
}

void compare_with_leader(Durability& durability, const LedgerOutcomes& outcomes,
                         const std::vector<NumberRun>& runs) {
  LostRanges ranges;
  std::size_t lost = 0, weak_lost = 0, unexpected = 0, duplicated = 0, in_doubt_present = 0;
  lay_against(outcomes, runs,
              [&](std::uint16_t stream, std::uint64_t first, const WriteStates& states, std::uint64_t present,
                  std::uint64_t more_than_once) {
                ranges.on(stream, first, states.acknowledged(), states.acknowledged() & ~present);
                lost += count(states.acknowledged() & ~present);
                weak_lost += count(states.weak() & ~present);
                unexpected += count(states.failed() & present);
                in_doubt_present += count(states.in_doubt() & present);
                duplicated += count(states.all() & more_than_once);
              });
  durability.lost = lost;
  durability.weak_lost = weak_lost;
  durability.unexpected = unexpected;
  durability.duplicated = duplicated;
  durability.in_doubt_present = in_doubt_present;
  durability.lost_ranges = std::move(ranges).finish();
}

std::size_t count_missing(const LedgerOutcomes& outcomes, const std::vector<NumberRun>& runs) {
  std::size_t missing = 0;
  lay_against(outcomes, runs,
              [&](std::uint16_t, std::uint64_t, const WriteStates& states, std::uint64_t present,
                  std::uint64_t) { missing += count(states.acknowledged() & ~present); });
  return missing;
}

NodeDurability node_of(const ServerReadback& readback, const LedgerOutcomes& outcomes) {
  NodeDurability node{.member = readback.member, .timeline = readback.timeline, .rows = readback.rows};
  node.read = readback.runs.has_value();
  if (node.read) {
    node.lost = count_missing(outcomes, *readback.runs);
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
  count_outcomes(judged.durability, input.outcomes);
  const auto leader =
      std::find_if(input.readbacks.begin(), input.readbacks.end(), [&](const ServerReadback& readback) {
        return !input.leader.empty() && readback.member == input.leader;
      });
  const ServerReadback* of_leader = leader == input.readbacks.end() ? nullptr : &*leader;
  if (of_leader != nullptr && of_leader->runs) {
    compare_with_leader(judged.durability, input.outcomes, *of_leader->runs);
  } else {
    judged.why_no_leader = why_leader_unknown(input, of_leader);
  }
  for (const ServerReadback& readback : input.readbacks) {
    judged.durability.nodes.push_back(node_of(readback, input.outcomes));
  }
  judged.durability.rpo_bytes = rpo_of(input);
  if (!judged.durability.rpo_bytes) judged.why_no_rpo = "no timeline on which writes were acknowledged ended";
  return judged;
}

}  // namespace pgfiredrill
