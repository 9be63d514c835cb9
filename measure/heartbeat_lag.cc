#include "measure/heartbeat_lag.h"

#include <algorithm>
#include <functional>

#include "measure/operation_rules.h"

namespace pgfiredrill {

namespace {

/// More than five hours of them.
constexpr std::size_t kMostHeartbeats = 1'000'000;
/// A replica that has never shown any may be new: one that still shows none after this is behind.
constexpr nanoseconds kFirstMustShow = std::chrono::seconds{1};

}  // namespace

void AcknowledgedHeartbeats::add(std::uint64_t number, nanoseconds done) {
  if (!heartbeats_.empty() && number <= heartbeats_.back().number) return;
  while (!heartbeats_.empty() && heartbeats_.back().done >= done) heartbeats_.pop_back();
  heartbeats_.push_back({number, done});
  if (heartbeats_.size() > kMostHeartbeats) thin_out();
}

/// Each second one of the older half: whoever is so far behind is told to be so by an interval less.
void AcknowledgedHeartbeats::thin_out() {
  const std::size_t half = heartbeats_.size() / 2;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < heartbeats_.size(); ++i) {
    if (i >= half || i % 2 == 0) heartbeats_[kept++] = heartbeats_[i];
  }
  heartbeats_.resize(kept);
}

std::optional<nanoseconds> AcknowledgedHeartbeats::first_above(std::uint64_t number) const {
  const auto found = std::upper_bound(
      heartbeats_.begin(), heartbeats_.end(), number,
      [](std::uint64_t wanted, const Heartbeat& heartbeat) { return wanted < heartbeat.number; });
  if (found == heartbeats_.end()) return std::nullopt;
  return found->done;
}

HeartbeatLag::HeartbeatLag(const std::vector<TrafficPath>& paths, nanoseconds from)
    : paths_{paths}, from_{from} {}

bool HeartbeatLag::reads_replicas(std::uint16_t path) const {
  return paths_[path].purpose == Purpose::canary && paths_[path].access == Access::read_only;
}

void HeartbeatLag::on(const Operation& operation) {
  if (operation.path >= paths_.size() || operation.kind != RecordKind::done) return;
  // What was acknowledged before a read was sent was due before that.
  judge_reads_until(operation.due);
  if (!operation.acknowledged() || !operation.sent_after || !operation.done_after) return;
  if (paths_[operation.path].purpose == Purpose::heartbeat) on_heartbeat(operation);
  if (reads_replicas(operation.path) && operation.in_recovery) on_read(operation);
}

void HeartbeatLag::on_heartbeat(const Operation& operation) {
  any_heartbeat_ = true;
  heartbeats_.add(operation.number, operation.due + *operation.done_after);
}

void HeartbeatLag::on_read(const Operation& operation) {
  // One that was sent after its deadline is no operation of ours; it would wait here for ever.
  if (*operation.sent_after > deadline_of(paths_[operation.path])) return;
  const nanoseconds sent = operation.due + *operation.sent_after;
  if (sent >= from_) waiting_.push({sent, operation.path, operation.heartbeat});
}

void HeartbeatLag::judge_reads_until(nanoseconds due) {
  while (!waiting_.empty() && waiting_.top().sent < due) {
    judge(waiting_.top());
    waiting_.pop();
  }
}

void HeartbeatLag::judge(const Read& read) {
  const auto newer_since = heartbeats_.first_above(read.shown);
  const bool behind = newer_since && *newer_since < read.sent;
  const nanoseconds lag = behind ? read.sent - *newer_since : nanoseconds{0};
  if (read.shown == 0 && lag <= kFirstMustShow) return;
  lag_of_path_[read.path].record(lag);
}

HeartbeatLag::Result HeartbeatLag::finish() {
  judge_reads_until(nanoseconds::max());
  Result result;
  std::optional<nanoseconds> longest;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const auto number = static_cast<std::uint16_t>(i);
    const auto lag = lag_of_path_.find(number);
    if (!reads_replicas(number) || lag == lag_of_path_.end()) continue;
    const LatencyHistogram& times = lag->second;
    longest = std::max(longest.value_or(nanoseconds{0}), *times.max());
    result.paths.push_back({.id = paths_[i].id,
                            .reads = static_cast<std::size_t>(times.count()),
                            .p95_s = to_seconds(*times.value_at_quantile(0.95)),
                            .max_s = to_seconds(*times.max())});
  }
  if (longest) {
    result.max_s = to_seconds(*longest);
  } else {
    result.why_not =
        any_heartbeat_ ? "no replica answered a read after the injection" : "no heartbeat was acknowledged";
  }
  return result;
}

}  // namespace pgfiredrill
