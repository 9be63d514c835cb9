#include "measure/instrument_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "measure/operation_rules.h"
#include "measure/plausible_instant.h"

namespace pgfiredrill {

namespace {

constexpr double kRateTolerance = 0.05;
/// Operations that may be missing or too many at the edges of an observation.
constexpr double kEdgeOperations = 3;
constexpr double kLongestStall = 24 * 3600.0;
/// Share of a core from which on a loop's answers come late for want of time.
constexpr double kBusy = 0.8;
/// The loop of the sessions that stand for applications: it drives no path.
constexpr const char* kApplications = "applications";

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

bool serves(const std::string& loop, const TrafficPath& path) {
  if (loop == kApplications) return false;
  return !starts_with(loop, "connector") || path.session == SessionKind::fresh;
}

nanoseconds stall_length(const Event& stall) {
  const double length = stall.number("stall_s").value_or(0);
  if (!(length > 0)) return nanoseconds{0};
  return nanoseconds{static_cast<nanoseconds::rep>(std::min(length, kLongestStall) * 1e9)};
}

}  // namespace

std::vector<LoopStall> loop_stalls(const std::vector<Event>& events) {
  std::vector<LoopStall> stalls;
  for (const Event& event : events) {
    if (event.kind != event::kLoopStall || !plausible_instant(event.at)) continue;
    stalls.push_back({event.text("loop").value_or(""), event.at - stall_length(event), event.at});
  }
  return stalls;
}

std::vector<LoopLoad> loop_loads(const std::vector<Event>& events) {
  std::vector<LoopLoad> loads;
  for (const Event& event : events) {
    if (event.kind != event::kLoopCpu || !plausible_instant(event.at)) continue;
    const double cpu = event.number("cpu_s").value_or(0);
    const double over = event.number("over_s").value_or(0);
    if (!(cpu > 0) || !(over > 0) || over > kLongestStall) continue;
    const nanoseconds length{static_cast<nanoseconds::rep>(over * 1e9)};
    loads.push_back({event.text("loop").value_or(""), event.at - length, event.at, cpu / over});
  }
  return loads;
}

std::string overload_in(const std::vector<OutageWindow>& windows, const std::vector<LoopLoad>& loads,
                        const TrafficPath& path) {
  for (const LoopLoad& load : loads) {
    if (load.share <= kBusy || !serves(load.loop, path)) continue;
    const bool within = std::any_of(windows.begin(), windows.end(), [&](const OutageWindow& window) {
      return load.from < window.end && window.start < load.to;
    });
    if (!within) continue;
    return fmt::format("this program's own loop {} used {:.0f} % of a core while the path was down",
                       load.loop, load.share * 100);
  }
  return "";
}

std::vector<LoopStall> stalls_of_path(const std::vector<LoopStall>& stalls, const TrafficPath& path) {
  std::vector<LoopStall> own;
  std::copy_if(stalls.begin(), stalls.end(), std::back_inserter(own),
               [&](const LoopStall& stall) { return serves(stall.loop, path); });
  return own;
}

InstrumentCheck::InstrumentCheck(const TrafficPath& path, std::vector<LoopStall> stalls,
                                 Observation observation)
    : path_{&path}, stalls_{std::move(stalls)}, observation_{observation} {
  std::erase_if(stalls_, [&](const LoopStall& stall) {
    return stall.to < observation_.from || stall.from > observation_.to;
  });
}

void InstrumentCheck::on(const Operation& operation) {
  if (operation.due < observation_.from || operation.due >= observation_.to) return;
  ++offered_;
  if (operation.due < observation_.complete_until) ++offered_while_complete_;
  if (operation.sent_after) ++achieved_;
  if (operation.dropped) ++dropped_;
  if (operation.error.is(Trouble::late_dispatch)) ++dispatched_late_;
  if (touched_by_stall(operation)) ++touched_;
}

bool InstrumentCheck::touched_by_stall(const Operation& operation) const {
  if (!is_stall(operation, *path_)) return false;
  // A drop is to blame on any stall that could have cost an operation its turn; what was sent can only have
  // been made late by one that ate a good part of its deadline.
  const nanoseconds longer_than = operation.dropped ? interval_of(*path_) : deadline_of(*path_) / 2;
  return falls_into_stall(known_at(operation, *path_), longer_than);
}

bool InstrumentCheck::falls_into_stall(nanoseconds at, nanoseconds longer_than) const {
  return std::any_of(stalls_.begin(), stalls_.end(), [&](const LoopStall& stall) {
    return stall.length() > longer_than && stall.from <= at && at <= stall.to;
  });
}

std::string InstrumentCheck::rate_trouble() const {
  const double span = std::max(0.0, to_seconds(observation_.complete_until - observation_.from));
  const double expected = span / to_seconds(interval_of(*path_));
  const double tolerance = std::max(kEdgeOperations, kRateTolerance * expected);
  const double offered = static_cast<double>(offered_while_complete_);
  if (std::abs(offered - expected) <= tolerance) return "";
  return fmt::format("{} operations were due in {:.1f} s where {:g} Hz ask for {:.0f}",
                     offered_while_complete_, span, path_->rate_hz, expected);
}

Instrument InstrumentCheck::finish(bool stalls_matter) const {
  Instrument instrument{.offered = offered_, .achieved = achieved_, .dropped = dropped_};
  for (const LoopStall& stall : stalls_) {
    instrument.loop_stall_max_s = std::max(instrument.loop_stall_max_s, to_seconds(stall.length()));
  }
  if (dispatched_late_ > 0) {
    instrument.why =
        fmt::format("this program did not get to {} operations before their deadline", dispatched_late_);
  } else if (stalls_matter) {
    instrument.why = fmt::format(
        "outages may be shorter: {} operations were dropped or late while this program's own loop stood "
        "still (at most {:.3f} s)",
        touched_, instrument.loop_stall_max_s);
  } else {
    instrument.why = rate_trouble();
  }
  instrument.valid = instrument.why.empty();
  return instrument;
}

}  // namespace pgfiredrill
