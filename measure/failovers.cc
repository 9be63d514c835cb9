#include "measure/failovers.h"

#include <algorithm>

namespace pgfiredrill {

namespace {

bool takes_writes(const DirectAnswer& answer) {
  return !answer.in_recovery && answer.timeline > 0;
}

/// The leader's last answer before the injection.
const DirectAnswer* leader_before(const std::vector<DirectAnswer>& answers, nanoseconds injected) {
  const DirectAnswer* last = nullptr;
  for (const DirectAnswer& answer : answers) {
    if (!takes_writes(answer) || answer.at > injected) continue;
    if (last == nullptr || answer.at >= last->at) last = &answer;
  }
  return last;
}

}  // namespace

FailoverCount count_failovers(const std::vector<DirectAnswer>& answers,
                              const std::vector<EndedTimeline>& history, nanoseconds injected) {
  const DirectAnswer* before = leader_before(answers, injected);
  if (before == nullptr) return {.failovers = {}, .why_not = "no leader was asked directly before the fault"};
  std::uint32_t latest = before->timeline;
  for (const DirectAnswer& answer : answers) {
    if (takes_writes(answer) && answer.at > injected) latest = std::max(latest, answer.timeline);
  }
  for (const EndedTimeline& ended : history) latest = std::max(latest, ended.timeline + 1);
  return {.failovers = latest - before->timeline, .why_not = {}};
}

std::optional<double> written_at_the_end(const std::vector<DirectAnswer>& answers, nanoseconds injected,
                                         nanoseconds span) {
  const DirectAnswer* before = leader_before(answers, injected);
  if (before == nullptr) return std::nullopt;
  const auto is_its = [&](const DirectAnswer& answer) {
    return takes_writes(answer) && answer.member == before->member && answer.timeline == before->timeline &&
           answer.lsn;
  };
  const DirectAnswer* last = nullptr;
  for (const DirectAnswer& answer : answers) {
    if (is_its(answer) && (last == nullptr || answer.at >= last->at)) last = &answer;
  }
  if (last == nullptr) return std::nullopt;
  std::uint64_t first = *last->lsn;
  for (const DirectAnswer& answer : answers) {
    if (is_its(answer) && answer.at + span >= last->at) first = std::min(first, *answer.lsn);
  }
  return static_cast<double>(*last->lsn - first);
}

}  // namespace pgfiredrill
