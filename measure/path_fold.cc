#include "measure/path_fold.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "measure/operation_rules.h"

namespace pgfiredrill {

namespace {

/// What is known of a write whose outcome never came into the record: that it did not end in time.
Operation unanswered(const Operation& sent) {
  Operation operation = sent;
  operation.kind = RecordKind::done;
  operation.outcome = Outcome::in_doubt;
  operation.late = true;
  operation.error = Trouble::answer_timeout;
  operation.layer = Layer::unknown;
  return operation;
}

Layer layer_of(const Operation& operation, const TrafficPath& path) {
  if (operation.layer != Layer::none) return operation.layer;
  return led_to_standby(operation, path) ? Layer::routing : Layer::unknown;
}

nanoseconds span_of(const std::vector<OutageWindow>& windows) {
  return windows.empty() ? nanoseconds{0} : windows.back().end - windows.front().start;
}

Observation observation_of(const RepeatTimes& times) {
  return {.from = times.origin(), .to = times.to, .complete_until = times.complete_until};
}

}  // namespace

PathFold::PathFold(const TrafficPath& path, const RepeatTimes& times, const std::vector<LoopStall>& stalls,
                   const std::vector<LoopLoad>& loads)
    : path_{&path},
      times_{times},
      loads_{loads},
      steadiness_{path, times},
      windows_{path.servers_behind},
      windows_without_stalls_{path.servers_behind},
      durations_{times.origin(), times.to, interval_of(path)},
      instrument_{path, stalls_of_path(stalls, path), observation_of(times)},
      latency_{path, times} {}

bool PathFold::in_traffic(nanoseconds due) const {
  return due >= times_.traffic_from && due < times_.to;
}

void PathFold::on(const Operation& operation) {
  if (!in_traffic(operation.due)) return;
  if (last_due_ && operation.due < *last_due_) {
    ++disordered_;
    return;
  }
  last_due_ = operation.due;
  give_up_unanswered(operation.due);
  if (operation.kind == RecordKind::sent) {
    unanswered_.push_back(operation);
  } else {
    on_done(operation);
  }
}

void PathFold::on_done(const Operation& operation) {
  std::erase_if(unanswered_, [&](const Operation& sent) { return sent.number == operation.number; });
  observe(operation);
}

/// A `done` stands right behind its `sent` in the order of due time, so what is due earlier has none. It
/// counts only where the record reaches to its deadline.
void PathFold::give_up_unanswered(nanoseconds before) {
  if (unanswered_.empty()) return;
  std::vector<Operation> waiting;
  std::swap(waiting, unanswered_);
  for (const Operation& sent : waiting) {
    if (sent.due >= before) {
      unanswered_.push_back(sent);
    } else if (sent.due + deadline_of(*path_) <= times_.to) {
      observe(unanswered(sent));
    }
  }
}

void PathFold::observe(const Operation& operation) {
  steadiness_.on(operation);
  standby_errors_.on(operation, *path_);
  instrument_.on(operation);
  latency_.on(operation);
  const bool success = is_success(operation, *path_);
  durations_.on({.due = operation.due,
                 .success = success,
                 .error = is_error(operation, *path_),
                 .stall = is_stall(operation, *path_)});
  if (operation.due < times_.origin()) return;
  windows_.on(operation.due, success);
  windows_without_stalls_.on(operation.due, success || instrument_.touched_by_stall(operation));
  const ErrorClass error = error_of(operation, *path_);
  if (!success && !error.none()) {
    errors_.on(error, layer_of(operation, *path_), operation.due);
  }
}

MeasuredPath PathFold::finish() const {
  PathFold whole = *this;
  whole.give_up_unanswered(times_.to);
  MeasuredPath measured;
  measured.result.path = *path_;
  measured.result.resolution_s = to_seconds(interval_of(*path_));
  measured.result.instrument = whole.instrument();
  measured.result.latency = whole.latency_.finish();
  measured.unsteady = whole.steadiness_.trouble();
  measured.standby_errors = whole.standby_errors_;
  whole.fill_numbers(measured);
  return measured;
}

/// In the midst of an outage a stall costs nothing: nobody had answered before it, and nobody did after it.
bool PathFold::stalls_matter() const {
  const auto all = windows_.finish(times_.to);
  const auto without = windows_without_stalls_.finish(times_.to);
  const auto same = [&](const OutageWindow& a, const OutageWindow& b) {
    return nearly(a.start, b.start) && nearly(a.end, b.end) && a.censored == b.censored;
  };
  return !std::equal(all.begin(), all.end(), without.begin(), without.end(), same);
}

/// To within one interval, which is what the path can tell.
bool PathFold::nearly(nanoseconds a, nanoseconds b) const {
  return std::max(a, b) - std::min(a, b) <= interval_of(*path_);
}

Instrument PathFold::instrument() const {
  Instrument instrument = instrument_.finish(stalls_matter());
  if (instrument.valid) {
    instrument.why = overload_in(windows_.finish(times_.to), loads_, *path_);
    instrument.valid = instrument.why.empty();
  }
  if (disordered_ > 0) {
    instrument.valid = false;
    instrument.why = fmt::format("{} operations stand in the record out of order", disordered_);
  }
  return instrument;
}

void PathFold::fill_numbers(MeasuredPath& measured) const {
  if (!times_.injected) {
    measured.unmeasured = "no fault was injected";
    return;
  }
  const PathDurations::Totals totals = durations_.finish();
  if (totals.due == 0) {
    measured.unmeasured = "no operation of this path was due after the injection";
    return;
  }
  PathResult& result = measured.result;
  const nanoseconds origin = *times_.injected;
  nanoseconds longest{0}, sum{0}, partial{0};
  measured.windows = windows_.finish(times_.to);
  for (const OutageWindow& window : measured.windows) {
    result.windows.push_back(
        {to_seconds(window.start - origin), to_seconds(window.end - origin), window.censored});
    longest = std::max(longest, window.length());
    sum += window.length();
    partial += window.partial();
  }
  result.outage_s = to_seconds(longest);
  result.unavailable_s = to_seconds(sum);
  result.span_s = to_seconds(span_of(measured.windows));
  result.error_s = to_seconds(totals.error);
  result.stall_s = to_seconds(totals.stall);
  result.longest_gap_s = to_seconds(totals.longest_gap);
  result.partial_s = to_seconds(partial);
  result.availability_pct = 100.0 * static_cast<double>(totals.successes) / static_cast<double>(totals.due);
  result.errors = errors_.finish(origin);
  measured.gap_is_open = totals.gap_is_open;
}

}  // namespace pgfiredrill
