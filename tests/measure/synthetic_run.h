#pragma once

/// A whole run record in memory, built event by event.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "history.h"
#include "measure/judge.h"

namespace pgfiredrill::testing {

class SyntheticRun {
 public:
  RunManifest manifest;
  std::vector<Event> events;
  std::vector<Operation> operations;
  std::map<std::string, std::vector<NumberRun>> files;
  std::vector<RecordDamage> damage;
  bool ended = true;

  Event& add(const char* kind, double at, std::map<std::string, EventValue> fields = {}) {
    events.push_back(
        {.kind = kind, .at = at_s(at), .wall = at_s(1'800'000'000 + at), .fields = std::move(fields)});
    return events.back();
  }

  /// Operations of a path, ten a second, `letters` from `from_s` on.
  void traffic(std::uint16_t path, double from_s, const std::string& letters) {
    const auto own = history(letters, 0.1, from_s, path);
    operations.insert(operations.end(), own.begin(), own.end());
  }

  /// Ten ledger writes a second: + acknowledged, k weak, x failed, ? in doubt, s sent only. Numbers go on.
  void ledger(std::uint16_t path, double from_s, const std::string& letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      Operation op = operation('+', at_s(from_s + 0.1 * static_cast<double>(i)), ++last_number_, path);
      op.stream = 1;
      op.write = true;
      op.timeline = timeline;
      op.lsn = last_number_ * 100;
      op.kind = RecordKind::sent;
      operations.push_back(op);
      op.kind = RecordKind::done;
      if (letters[i] == 'k') op.outcome = Outcome::weak;
      if (letters[i] == 'x') op.outcome = Outcome::failed;
      if (letters[i] == '?') op.outcome = Outcome::in_doubt;
      if (letters[i] != 's') operations.push_back(op);
    }
  }

  [[nodiscard]] RunInput input() const {
    return {.manifest = manifest,
            .events = events,
            .ended = ended,
            .operations =
                [this](nanoseconds from, nanoseconds to, const std::function<void(const Operation&)>& sink) {
                  return hand_over(from, to, sink);
                },
            .readback = [this](const std::string& file) -> Result<std::vector<NumberRun>> {
              const auto found = files.find(file);
              if (found == files.end()) return Failure{.what = "read " + file, .came_back = "no such file"};
              return found->second;
            }};
  }

  [[nodiscard]] RunResult judge() const { return judge_run(input()); }

  std::uint32_t timeline = 1;

 private:
  Result<std::vector<RecordDamage>> hand_over(nanoseconds from, nanoseconds to,
                                              const std::function<void(const Operation&)>& sink) const {
    std::vector<Operation> sorted;
    std::copy_if(operations.begin(), operations.end(), std::back_inserter(sorted),
                 [&](const Operation& op) { return op.due >= from && op.due < to; });
    std::stable_sort(sorted.begin(), sorted.end(), [](const Operation& a, const Operation& b) {
      return std::tie(a.due, a.path) < std::tie(b.due, b.path);
    });
    for (const Operation& op : sorted) sink(op);
    return damage;
  }

  std::uint64_t last_number_ = 0;
};

inline constexpr std::int64_t kNone = 0;

inline void begin_repeat(SyntheticRun& run, double at, std::int64_t repeat = 0) {
  run.add(event::kRepeatStarted, at, {{"drill", kNone}, {"repeat", repeat}});
  run.add(event::kStage, at, {{"stage", "traffic"}});
  run.add(event::kTrafficStarted, at + 1, {{"thread", "traffic"}});
  run.add(event::kStage, at + 1, {{"stage", "baseline"}});
  run.add(event::kFaultSent, at + 11, {{"target", "pgnode01"}, {"delay_s", 1.5}});
  run.add(event::kStage, at + 11, {{"stage", "observe"}});
  run.add(event::kFaultConfirmed, at + 12, {{"evidence", "the leader key moved"}});
  run.add(event::kTopology, at + 13, {{"leader", "pgnode02"}});
}

inline void watch_health(SyntheticRun& run, double from, double healthy_from, double to) {
  for (double at = from; at <= to; at += 1) {
    run.add(event::kHealth, at,
            {{"healthy", at >= healthy_from}, {"gaps", at >= healthy_from ? "" : "no leader"}});
  }
}

inline void read_back(SyntheticRun& run, double at, const std::string& member, std::vector<NumberRun> runs,
                      std::int64_t repeat = 0) {
  const std::string file = "readback-" + std::to_string(repeat) + "-" + member + ".bin";
  run.files[file] = std::move(runs);
  run.add(event::kReadback, at,
          {{"drill", kNone},
           {"repeat", repeat},
           {"member", member},
           {"file", file},
           {"timeline", std::int64_t{2}},
           {"replay_lsn", "0/9000"},
           {"rows", std::int64_t{300}},
           {"ok", true}});
}

inline void end_repeat(SyntheticRun& run, double at, const char* outcome = "done", const char* reason = "",
                       std::int64_t repeat = 0) {
  run.add(event::kRepeatEnded, at,
          {{"drill", kNone}, {"repeat", repeat}, {"outcome", outcome}, {"reason", reason}});
}

/// A manifest of one switchover: a write path, a read path, a ledger.
inline SyntheticRun empty_run() {
  SyntheticRun run;
  run.manifest.suite = "smoke";
  run.manifest.seed = 7;
  run.manifest.cluster.members = {{.name = "pgnode01"}, {.name = "pgnode02"}, {.name = "pgnode03"}};
  run.manifest.paths = {canary(10), canary(10), canary(10)};
  run.manifest.paths[1].id = "pg1:5001/read_only/pooled";
  run.manifest.paths[1].entrypoint = "pg1:5001";
  run.manifest.paths[1].access = Access::read_only;
  run.manifest.paths[1].session = SessionKind::pooled;
  run.manifest.paths[2].id = "ledger";
  run.manifest.paths[2].purpose = Purpose::ledger;
  run.manifest.drills = {
      {.name = "switchover",
       .fault = {"patroni-switchover", "leader"},
       .expectations = {{.metric = "outage_s", .where = {.access = "read_write"}, .limit = 30},
                        {.metric = "lost", .limit = 0},
                        {.metric = "full_health_s", .limit = 60}}}};
  run.add(event::kRunStarted, 1);
  run.add(event::kTopology, 2, {{"leader", "pgnode01"}});
  return run;
}

/// Traffic of one repeat that began at `at`: writes are down from 1 s to 6 s after the injection.
inline void switchover_traffic(SyntheticRun& run, double at) {
  run.traffic(0, at + 1, times(100) + times(10) + times(50, 'x') + times(240));
  run.traffic(1, at + 1, times(400));
  run.ledger(2, at + 1, times(100) + times(10) + "??" + times(48, 'x') + times(240));
}

/// The run goes from 10 s to 60 s; the injection is at 21 s. Ledger: 1-110 and 161-400 acknowledged.
inline SyntheticRun healthy_switchover() {
  SyntheticRun run = empty_run();
  begin_repeat(run, 10);
  switchover_traffic(run, 10);
  watch_health(run, 22, 29, 50);
  run.add(event::kTrafficStopped, 51, {{"thread", "traffic"}});
  run.add(event::kFence, 52,
          {{"drill", kNone}, {"repeat", kNone}, {"lsn", "0/8000"}, {"timeline", std::int64_t{2}}});
  run.add(event::kTimelineHistory, 52, {{"timeline", std::int64_t{1}}, {"lsn", "0/FFFFFF"}});
  for (const char* member : {"pgnode01", "pgnode02", "pgnode03"}) {
    read_back(run, 53, member, {{1, 1, 111}, {1, 161, 400}});
  }
  end_repeat(run, 55);
  run.add(event::kRunEnded, 60, {{"outcome", "passed"}});
  return run;
}

}  // namespace pgfiredrill::testing
