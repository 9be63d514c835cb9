#include "measure/split_brain.h"

#include <algorithm>
#include <utility>

namespace pgfiredrill {

namespace {

/// Durations stand in the record rounded to this: what is no further apart may have been the other way round.
constexpr nanoseconds kResolution = std::chrono::microseconds{1};

bool proves_something(const Operation& operation) {
  return operation.kind == RecordKind::done && operation.write && !operation.in_recovery &&
         operation.outcome == Outcome::acknowledged && operation.timeline != 0 && operation.sent_after &&
         operation.done_after;
}

void keep(std::optional<TimedWrite>& kept, const TimedWrite& write, bool better) {
  if (!kept || better) kept = write;
}

/// Of one postmaster, which never goes back into recovery.
struct OpenSpan {
  std::string member;
  nanoseconds from{0};  ///< when the first answer had come
  nanoseconds to{0};    ///< when the last one was asked for
};

std::vector<OpenSpan> open_spans(const std::vector<DirectAnswer>& answers) {
  std::map<std::pair<std::string, std::string>, OpenSpan> spans;
  for (const DirectAnswer& answer : answers) {
    if (answer.in_recovery || answer.postmaster_start.empty()) continue;
    const auto [span, first] = spans.try_emplace({answer.member, answer.postmaster_start},
                                                 OpenSpan{answer.member, answer.at, answer.asked_at});
    span->second.from = std::min(span->second.from, answer.at);
    span->second.to = std::max(span->second.to, answer.asked_at);
  }
  std::vector<OpenSpan> list;
  for (auto& [key, span] : spans) list.push_back(std::move(span));
  return list;
}

}  // namespace

void StaleWriteFold::on(const Operation& operation, bool through_entry_point) {
  if (!proves_something(operation)) return;
  const TimedWrite write{.path = operation.path,
                         .number = operation.number,
                         .timeline = operation.timeline,
                         .sent = operation.due + *operation.sent_after,
                         .completed = operation.due + *operation.done_after};
  Timeline& timeline = timelines_[write.timeline];
  keep(timeline.first_completed, write,
       timeline.first_completed && write.completed < timeline.first_completed->completed);
  auto& last = through_entry_point ? timeline.last_sent_through_entry_point : timeline.last_sent_to_node;
  keep(last, write, last && write.sent > last->sent);
}

std::optional<StaleWrite> StaleWriteFold::latest_stale(std::optional<TimedWrite> Timeline::*last_sent,
                                                       bool through_entry_point) const {
  std::optional<StaleWrite> latest;
  const TimedWrite* newer = nullptr;  // the first that completed on any later timeline
  for (auto entry = timelines_.rbegin(); entry != timelines_.rend(); ++entry) {
    const Timeline& timeline = entry->second;
    const auto& stale = timeline.*last_sent;
    if (newer != nullptr && stale && stale->sent > newer->completed + kResolution) {
      const StaleWrite found{*stale, *newer, through_entry_point};
      if (!latest || found.late_by() > latest->late_by()) latest = found;
    }
    const TimedWrite& first = *timeline.first_completed;
    if (newer == nullptr || first.completed < newer->completed) newer = &first;
  }
  return latest;
}

std::optional<StaleWrite> StaleWriteFold::finish() const {
  if (auto through = latest_stale(&Timeline::last_sent_through_entry_point, true)) return through;
  return latest_stale(&Timeline::last_sent_to_node, false);
}

std::vector<OpenTogether> open_together(const std::vector<DirectAnswer>& answers) {
  const std::vector<OpenSpan> spans = open_spans(answers);
  std::map<std::pair<std::string, std::string>, OpenTogether> longest;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    for (std::size_t j = i + 1; j < spans.size(); ++j) {
      if (spans[i].member == spans[j].member) continue;
      const OpenTogether both{spans[i].member, spans[j].member, std::max(spans[i].from, spans[j].from),
                              std::min(spans[i].to, spans[j].to)};
      if (both.from >= both.to) continue;
      OpenTogether& kept = longest.try_emplace({both.one, both.other}, both).first->second;
      if (both.length() > kept.length()) kept = both;
    }
  }
  std::vector<OpenTogether> list;
  for (auto& [members, both] : longest) list.push_back(std::move(both));
  return list;
}

}  // namespace pgfiredrill
