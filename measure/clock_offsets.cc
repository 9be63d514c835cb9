#include "measure/clock_offsets.h"

#include <algorithm>
#include <map>

namespace pgfiredrill {

namespace {

using std::chrono::milliseconds;

/// Parts of a second a second that two clocks may run apart: NTP slews each by up to 500 ppm.
constexpr nanoseconds::rep kDriftDivisor = 1'000;
/// Our wall clock is read beside the monotonic one, not at the same instant.
constexpr nanoseconds kStampError = milliseconds{1};
/// A clock that is slewed hard steps many times in a row: that is one change.
constexpr nanoseconds kOneChange = std::chrono::seconds{1};
/// From here on a drift can be told from noise at all.
constexpr std::size_t kFewest = 20;

nanoseconds drift_in(nanoseconds time) {
  return nanoseconds{std::abs(time.count()) / kDriftDivisor};
}

}  // namespace

bool SteadyTrack::take(nanoseconds at, nanoseconds value, nanoseconds error) {
  const nanoseconds widened = last_at_ ? drift_in(at - *last_at_) : nanoseconds{0};
  const bool first = !last_at_;
  last_at_ = at;
  const nanoseconds low = value - error, high = value + error;
  const bool fits = first || (low <= high_ + widened && high >= low_ - widened);
  low_ = first || !fits ? low : std::max(low, low_ - widened);
  high_ = first || !fits ? high : std::min(high, high_ + widened);
  return fits;
}

void NodeClock::on(const DirectAnswer& answer) {
  if (answer.server_clock == nanoseconds{0} || answer.wall == nanoseconds{0}) return;
  const nanoseconds error = (answer.at - answer.asked_at) / 2;
  const nanoseconds middle = answer.asked_at + error;
  const nanoseconds own = answer.wall - answer.at;
  const Reading reading{middle, answer.server_clock, answer.server_clock - middle - own, error};
  const bool own_is_steady = own_wall_.take(answer.at, own, kStampError);
  if (!against_wall_.take(middle, reading.offset, error + kStampError)) {
    note_step(middle, !own_is_steady);
    offset_from_ = readings_.size();
  }
  const bool straight = against_monotonic_.take(middle, reading.server - middle, error);
  if (!straight || readings_.empty()) mapped_from_.push_back(readings_.size());
  readings_.push_back(reading);
}

void NodeClock::note_step(nanoseconds at, bool of_ours) {
  const bool goes_on = stepped_at_ && at - *stepped_at_ <= kOneChange;
  stepped_at_ = at;
  if (goes_on) return;
  ++steps_;
  if (of_ours) ++own_steps_;
}

std::optional<double> NodeClock::drift_ppm() const {
  const std::size_t count = readings_.size() - offset_from_;
  if (count < kFewest) return std::nullopt;
  const auto quarter = static_cast<std::ptrdiff_t>(count / 4);
  const auto sharper = [](const Reading& a, const Reading& b) { return a.error < b.error; };
  const auto begin = readings_.begin() + static_cast<std::ptrdiff_t>(offset_from_);
  const Reading& early = *std::min_element(begin, begin + quarter, sharper);
  const Reading& late = *std::min_element(readings_.end() - quarter, readings_.end(), sharper);
  const nanoseconds moved = late.offset - early.offset;
  if (nanoseconds{std::abs(moved.count())} <= early.error + late.error) return std::nullopt;
  return static_cast<double>(moved.count()) * 1e6 / static_cast<double>((late.at - early.at).count());
}

ClockResult NodeClock::result(const std::string& node) const {
  ClockResult result{.node = node, .steps = steps_, .own_steps = own_steps_};
  if (readings_.empty()) {
    result.why_not = "its PostgreSQL answered no direct session";
    return result;
  }
  const auto best =
      std::min_element(readings_.begin() + static_cast<std::ptrdiff_t>(offset_from_), readings_.end(),
                       [](const Reading& a, const Reading& b) { return a.error < b.error; });
  result.offset_s = to_seconds(best->offset);
  result.error_s = to_seconds(best->error);
  result.drift_ppm = drift_ppm();
  return result;
}

std::optional<LocalInstant> NodeClock::to_ours(nanoseconds server) const {
  std::optional<LocalInstant> nearest;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < mapped_from_.size(); ++i) {
    const auto begin = readings_.begin() + static_cast<std::ptrdiff_t>(mapped_from_[i]);
    const auto end = i + 1 < mapped_from_.size()
                         ? readings_.begin() + static_cast<std::ptrdiff_t>(mapped_from_[i + 1])
                         : readings_.end();
    const bool inside = server >= begin->server && server <= std::prev(end)->server;
    if (inside) ++shown;
    for (auto reading = begin; reading != end; ++reading) {
      const nanoseconds away = server - reading->server;
      const LocalInstant mapped{reading->at + away, reading->error + drift_in(away)};
      if (!nearest || mapped.error < nearest->error) nearest = mapped;
    }
  }
  if (shown > 1) return std::nullopt;
  return nearest;
}

std::vector<ClockResult> measure_clocks(const std::vector<Event>& events,
                                        const std::vector<std::string>& nodes) {
  std::map<std::string, NodeClock> clocks;
  for (const Event& event : events) {
    if (const auto answer = direct_answer(event)) clocks[answer->member].on(*answer);
  }
  std::vector<ClockResult> results;
  for (const std::string& node : nodes) results.push_back(clocks[node].result(node));
  return results;
}

}  // namespace pgfiredrill
