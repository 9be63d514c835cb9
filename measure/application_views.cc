#include "measure/application_views.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "measure/operation_rules.h"

namespace pgfiredrill {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Attempt = ApplicationFold::Attempt;
using AttemptEnd = ApplicationFold::AttemptEnd;

/// Linux's keepalive as drivers are shipped: 300 s idle, then 10 probes 30 s apart.
constexpr nanoseconds kKeepalive = seconds{300 + 10 * 30};
constexpr const char* kReadWriteSession = "read-write";

struct Policy {
  const char* name;
  /// Wait before the attempt after the `failures`-th failed one; absent: give up.
  std::optional<nanoseconds> (*wait)(int failures);
  nanoseconds patience = nanoseconds::max();  ///< no attempt begins later than this after the request
  bool waits_for_ever = false;                ///< no timeout on an attempt
};

std::optional<nanoseconds> never(int) {
  return std::nullopt;
}

std::optional<nanoseconds> three_times(int failures) {
  return failures <= 3 ? std::optional<nanoseconds>{seconds{1}} : std::nullopt;
}

std::optional<nanoseconds> each_second(int) {
  return seconds{1};
}

std::optional<nanoseconds> doubling(int failures) {
  constexpr nanoseconds kMost = seconds{5};
  nanoseconds wait = milliseconds{100};
  for (int i = 1; i < failures && wait < kMost; ++i) wait *= 2;
  return std::min(wait, kMost);
}

const Policy kPolicies[] = {{"no-retry", never},
                            {"retry-3x1s", three_times},
                            {"backoff-30s", doubling, seconds{30}},
                            {"driver-default", never, nanoseconds::max(), true}};
const Policy kReadWriteList{"tsa", each_second};

enum class RequestEnd : std::uint8_t { served, failed, unfinished };

struct Request {
  RequestEnd end = RequestEnd::unfinished;
  nanoseconds hang{0};
};

/// A policy over one path's record.
class Replay {
 public:
  Replay(const std::vector<Attempt>& attempts, nanoseconds end, const Policy& policy)
      : attempts_{attempts}, end_{end}, policy_{policy} {}

  [[nodiscard]] ApplicationView run() const {
    ApplicationView view;
    view.policy = policy_.name;
    nanoseconds longest{0};
    for (const Attempt& first : attempts_) {
      const Request request = make_request(first.due);
      ++view.requests;
      if (request.end == RequestEnd::failed) ++view.failed;
      if (request.end == RequestEnd::unfinished) ++view.unfinished;
      longest = std::max(longest, request.hang);
    }
    view.longest_hang_s = to_seconds(longest);
    view.censored = view.unfinished > 0;
    return view;
  }

 private:
  [[nodiscard]] Request make_request(nanoseconds begin) const {
    nanoseconds now = begin;
    for (int failures = 1;; ++failures) {
      const Attempt& met = at(now);
      const nanoseconds recorded = microseconds{met.lasted_us};
      const bool hangs = policy_.waits_for_ever && met.end == AttemptEnd::hung;
      if (hangs && now + kKeepalive > end_) {
        return {RequestEnd::unfinished, std::max(end_, now + recorded) - begin};
      }
      now += hangs ? kKeepalive : recorded;
      if (met.end == AttemptEnd::success) return {RequestEnd::served, now - begin};
      const auto wait = policy_.wait(failures);
      if (!wait || now + *wait - begin > policy_.patience) return {RequestEnd::failed, now - begin};
      now += *wait;
      if (now >= end_) return {RequestEnd::unfinished, now - begin};
    }
  }

  [[nodiscard]] const Attempt& at(nanoseconds instant) const {
    const auto later = std::upper_bound(attempts_.begin(), attempts_.end(), instant,
                                        [](nanoseconds at, const Attempt& one) { return at < one.due; });
    return *std::prev(later);
  }

  const std::vector<Attempt>& attempts_;
  const nanoseconds end_;
  const Policy& policy_;
};

bool is_read_write_list(const TrafficPath& path) {
  return path.target_session_attrs == kReadWriteSession;
}

/// A good end that came late is one: an application without our deadline would have had it.
bool ended_well(const Operation& operation, const TrafficPath& path) {
  return operation.acknowledged() && !operation.dropped && !led_to_standby(operation, path);
}

AttemptEnd end_of(const Operation& operation, const TrafficPath& path) {
  if (ended_well(operation, path)) return AttemptEnd::success;
  return is_error(operation, path) ? AttemptEnd::failed : AttemptEnd::hung;
}

std::uint32_t saturated_us(nanoseconds time) {
  const auto us = std::chrono::duration_cast<microseconds>(time).count();
  return static_cast<std::uint32_t>(
      std::clamp<microseconds::rep>(us, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

ApplicationFold::ApplicationFold(const TrafficPath& path, const RepeatTimes& times)
    : path_{&path}, times_{times} {}

bool ApplicationFold::concerns(const TrafficPath& path) {
  const bool writes = path.purpose == Purpose::canary && path.access == Access::read_write;
  if (!writes || !path.pinned_member.empty()) return false;
  return !is_read_write_list(path) || path.session == SessionKind::fresh;
}

void ApplicationFold::on(const Operation& operation) {
  if (operation.kind != RecordKind::done || !times_.injected) return;
  if (operation.due < *times_.injected || operation.due >= times_.complete_until) return;
  if (!attempts_.empty() && operation.due < attempts_.back().due) return;
  if (operation.error.is(Trouble::late_dispatch)) return;
  attempts_.push_back({.due = operation.due,
                       .lasted_us = saturated_us(known_at(operation, *path_) - operation.due),
                       .end = end_of(operation, *path_)});
}

std::vector<ApplicationView> ApplicationFold::finish() const {
  std::vector<ApplicationView> views;
  if (attempts_.empty()) return views;
  const auto add = [&](const Policy& policy) {
    views.push_back(Replay{attempts_, times_.to, policy}.run());
    views.back().path = path_->id;
  };
  if (is_read_write_list(*path_)) {
    add(kReadWriteList);
  } else {
    for (const Policy& policy : kPolicies) add(policy);
  }
  return views;
}

}  // namespace pgfiredrill
