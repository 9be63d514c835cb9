#include "observers/state_journal.h"

#include <utility>

#include "base/failure.h"

namespace pgfiredrill {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr nanoseconds kBetweenFailures = milliseconds{500};

struct Stamp {
  nanoseconds at{0};
  nanoseconds wall{0};
};

/// Both clocks at nearly the same instant, however this thread is scheduled: offsets of the servers' clocks
/// are told from the pair.
Stamp stamp(const Clock& clock) {
  constexpr int kTries = 5;
  constexpr nanoseconds kTogether = microseconds{500};
  Stamp both;
  for (int i = 0; i < kTries; ++i) {
    both = {clock.monotonic(), clock.wall()};
    if (clock.monotonic() - both.at <= kTogether) break;
  }
  return both;
}

}  // namespace

StateJournal::StateJournal(std::string member, std::string host, Recorder& recorder, Clock& clock)
    : member_{std::move(member)}, host_{std::move(host)}, recorder_{recorder}, clock_{clock} {}

Event StateJournal::state(Way way, nanoseconds asked_at, bool reachable) const {
  const Stamp now = stamp(clock_);
  return {.kind = event::kServerState,
          .at = now.at,
          .wall = now.wall,
          .fields = {{"member", member_},
                     {"host", host_},
                     {"via", std::string{to_string(way)}},
                     {"reachable", reachable},
                     {"asked_at", std::int64_t{asked_at.count()}}}};
}

void StateJournal::answered(Way way, nanoseconds asked_at, const ServerSelfReport& report) {
  failure_told_at_.reset();
  Event event = state(way, asked_at, true);
  event.fields.emplace("in_recovery", report.in_recovery);
  event.fields.emplace("timeline", std::int64_t{report.timeline});
  event.fields.emplace("lsn", report.lsn);
  if (report.in_recovery) event.fields.emplace("receive_lsn", report.receive_lsn);
  event.fields.emplace("postmaster_start", report.postmaster_start);
  event.fields.emplace("server_clock", report.clock);
  recorder_.add(std::move(event));
}

void StateJournal::failed(Way way, nanoseconds asked_at, const std::string& reason) {
  const nanoseconds now = clock_.monotonic();
  if (failure_told_at_ && now - *failure_told_at_ < kBetweenFailures) return;
  failure_told_at_ = now;
  Event event = state(way, asked_at, false);
  event.fields.emplace("reason", one_line(reason));
  recorder_.add(std::move(event));
}

}  // namespace pgfiredrill
