#include "measure/repeat_traffic.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "measure/operation_rules.h"
#include "measure/plausible_instant.h"

namespace pgfiredrill {

namespace {

nanoseconds last_due(const RunInput& input, const RepeatFacts& facts) {
  nanoseconds last = facts.traffic_started.value_or(facts.from);
  const auto look = [&](const Operation& operation) {
    if (plausible_instant(operation.due)) last = std::max(last, operation.due);
  };
  // What cannot be read is told by the pass that folds.
  (void)input.operations(facts.from, facts.to, look);
  return last;
}

nanoseconds longest_deadline(const RunManifest& manifest) {
  nanoseconds longest{0};
  for (const TrafficPath& path : manifest.paths) longest = std::max(longest, deadline_of(path));
  return longest;
}

class TrafficReader {
 public:
  TrafficReader(const RunInput& input, const RepeatFacts& facts) : manifest_{input.manifest} {
    traffic_.times = times_of(input, facts);
    fold_of_path_.resize(manifest_.paths.size(), kNoFold);
    for (std::size_t i = 0; i < manifest_.paths.size(); ++i) {
      if (manifest_.paths[i].purpose != Purpose::canary) continue;
      fold_of_path_[i] = folds_.size();
      folds_.emplace_back(manifest_.paths[i], traffic_.times, facts.stalls, facts.loads);
    }
    views_.emplace(manifest_, traffic_.times);
    heartbeat_lag_.emplace(manifest_.paths, traffic_.times.injected.value_or(nanoseconds::max()));
    traffic_.write_servers = WriteServers{traffic_.times.injected};
    read(input, facts);
  }

  RepeatTraffic finish() && {
    for (const PathFold& fold : folds_) traffic_.paths.push_back(fold.finish());
    traffic_.views = views_->finish();
    traffic_.heartbeat_lag = heartbeat_lag_->finish();
    return std::move(traffic_);
  }

 private:
  static constexpr std::size_t kNoFold = static_cast<std::size_t>(-1);

  void read(const RunInput& input, const RepeatFacts& facts) {
    const auto damages =
        input.operations(facts.from, facts.to, [this](const Operation& operation) { on(operation); });
    if (!damages) {
      traffic_.unreadable = damages.error().message();
      return;
    }
    for (const RecordDamage& damage : *damages) {
      traffic_.damage.push_back(fmt::format("{} ends in {} bytes that are no records, after {} good ones",
                                            damage.file, damage.bytes_left, damage.good_records));
    }
  }

  void on(const Operation& operation) {
    if (operation.path >= manifest_.paths.size() || !plausible_instant(operation.due)) {
      ++traffic_.strays;
      return;
    }
    const TrafficPath& path = manifest_.paths[operation.path];
    traffic_.stale_writes.on(operation, path.pinned_member.empty());
    traffic_.write_servers.on(operation);
    heartbeat_lag_->on(operation);
    views_->on(operation);
    if (fold_of_path_[operation.path] != kNoFold) {
      folds_[fold_of_path_[operation.path]].on(operation);
    } else if (path.purpose == Purpose::ledger) {
      traffic_.ledger.on(operation);
    }
  }

  const RunManifest& manifest_;
  RepeatTraffic traffic_;
  std::vector<PathFold> folds_;
  std::optional<RepeatViewsFold> views_;
  std::optional<HeartbeatLag> heartbeat_lag_;
  std::vector<std::size_t> fold_of_path_;
};

}  // namespace

RepeatTimes times_of(const RunInput& input, const RepeatFacts& facts) {
  RepeatTimes times;
  times.traffic_from = facts.traffic_started.value_or(facts.from);
  times.baseline_from = facts.baseline_started.value_or(times.traffic_from);
  if (facts.fault_sent) times.injected = facts.fault_sent->at;
  if (facts.fault_confirmed) times.confirmed = facts.fault_confirmed->at;
  times.to =
      std::max(facts.traffic_stopped ? *facts.traffic_stopped : last_due(input, facts), times.origin());
  // Where the program was killed, what was due within the last deadline may have been in flight.
  times.complete_until = facts.traffic_stopped
                             ? times.to
                             : std::max(times.origin(), times.to - longest_deadline(input.manifest));
  return times;
}

RepeatTraffic read_traffic(const RunInput& input, const RepeatFacts& facts) {
  return TrafficReader{input, facts}.finish();
}

}  // namespace pgfiredrill
