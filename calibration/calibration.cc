#include "calibration/calibration.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "calibration/blackhole.h"
#include "calibration/lane_plan.h"
#include "calibration/recorded_evidence.h"
#include "calibration/scratch_folder.h"
#include "calibration/stage.h"
#include "drivers/traffic.h"
#include "record/recorder.h"

namespace pgfiredrill {
namespace {

constexpr nanoseconds kWarmUpLimit = std::chrono::seconds{10};
/// From the first operations to the plans' own start.
constexpr nanoseconds kLead = std::chrono::milliseconds{200};
constexpr nanoseconds kPoll = std::chrono::milliseconds{200};
/// How late the last outage may come on a busy machine.
constexpr nanoseconds kGrace = std::chrono::seconds{10};

Failure failed(const std::string& what, const std::string& came_back) {
  return {.what = what, .came_back = came_back};
}

/// The record of a run of one drill that has one repeat.
RunManifest manifest_of(const CalibrationOptions& options, std::vector<TrafficPath> paths,
                        const Clock& clock) {
  return {.tool_version = "",
          .run_id = "calibration",
          .suite = "calibration",
          .seed = options.seed,
          .origin = {.monotonic = clock.monotonic(), .boottime = clock.boottime(), .wall = clock.wall()},
          .cluster = {.name = "calibration"},
          .drills = {{.name = "calibration"}},
          .paths = std::move(paths)};
}

/// Drives traffic through the stage's lanes while they fail.
class Drive {
 public:
  Drive(const std::vector<StageLane>& lanes, Stage& stage, Clock& clock)
      : lanes_{lanes}, stage_{stage}, clock_{clock}, truths_(lanes.size()) {
    for (const StageLane& lane : lanes) planned_ += lane.plan.size();
  }

  Result<void> open(const std::string& folder, const CalibrationOptions& options);
  Result<void> run(const CalibrationProgress& progress);
  [[nodiscard]] const std::vector<std::vector<TrueOutage>>& truths() const { return truths_; }

 private:
  Result<void> warm_up();
  Result<void> begin();
  Result<void> collect(const CalibrationProgress& progress);
  Result<void> finish();

  const std::vector<StageLane>& lanes_;
  Stage& stage_;
  Clock& clock_;
  std::size_t planned_ = 0;
  nanoseconds began_{0};
  std::vector<std::vector<TrueOutage>> truths_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Traffic> traffic_;  // after the recorder, which it writes to
};

Result<void> Drive::open(const std::string& folder, const CalibrationOptions& options) {
  auto recorder = Recorder::create(folder, clock_);
  if (!recorder) return recorder.error();
  recorder_ = std::move(*recorder);
  const auto paths = paths_over(stage_.lanes());
  if (auto written = recorder_->write_manifest(manifest_of(options, paths, clock_)); !written) return written;
  auto traffic = Traffic::create({.paths = paths,
                                  .access = {.database = "calibration",
                                             .user = "calibration",
                                             .password = Secret{"calibration"},
                                             .sslmode = "require"}},
                                 *recorder_, clock_);
  if (!traffic) return traffic.error();
  traffic_ = std::move(*traffic);
  return {};
}

Result<void> Drive::warm_up() {
  const auto troubles = traffic_->warm_up(kWarmUpLimit);
  if (troubles.empty()) return {};
  return failed("log in to the server to calibrate against",
                troubles.front().path + ": " + troubles.front().text);
}

Result<void> Drive::begin() {
  const std::map<std::string, EventValue> repeat{{"drill", std::int64_t{0}}, {"repeat", std::int64_t{0}}};
  recorder_->add({.kind = event::kRepeatStarted, .fields = repeat});
  traffic_->start(1);
  began_ = clock_.monotonic() + kLead;
  recorder_->add({.kind = event::kFaultSent, .at = began_, .fields = {{"fault", std::string{"outages"}}}});
  return stage_.go(began_);
}

Result<void> Drive::collect(const CalibrationProgress& progress) {
  const nanoseconds end = began_ + last_end(lanes_);
  std::size_t over = 0;
  while (over < planned_ || clock_.monotonic() < end) {
    if (!progress(over, planned_)) return failed("calibrate", "it was interrupted");
    if (clock_.monotonic() > end + kGrace) return failed("make outages", "not all of them came");
    const auto outage = stage_.next_outage(kPoll);
    if (!outage) return outage.error();
    if (!outage->has_value()) continue;
    const auto& [lane, truth] = **outage;
    truths_.at(lane).push_back(truth);
    ++over;
  }
  (void)progress(over, planned_);
  return {};
}

Result<void> Drive::finish() {
  traffic_->stop();
  traffic_->disconnect();
  traffic_.reset();
  recorder_->sync();
  const std::string trouble = recorder_->trouble();
  recorder_.reset();
  if (!trouble.empty()) return failed("record the calibration", trouble);
  return {};
}

Result<void> Drive::run(const CalibrationProgress& progress) {
  if (auto warm = warm_up(); !warm) return warm;
  if (auto begun = begin(); !begun) return begun;
  if (auto collected = collect(progress); !collected) return collected;
  return finish();
}

std::vector<KindVerdict> judge(const std::vector<OutageKind>& kinds,
                               const std::vector<PathEvidence>& evidence) {
  std::vector<KindVerdict> verdicts;
  for (const OutageKind kind : kinds) {
    for (const SessionKind session : {SessionKind::fresh, SessionKind::pooled}) {
      std::vector<PathComparison> comparisons;
      for (const PathEvidence& path : evidence) {
        if (path.kind == kind && path.session == session) comparisons.push_back(compare(path));
      }
      verdicts.push_back(judge_kind(kind, session, comparisons));
    }
  }
  return verdicts;
}

std::vector<OutageKind> wanted_kinds(const CalibrationOptions& options) {
  if (options.only) return {*options.only};
  return {kOutageKinds.begin(), kOutageKinds.end()};
}

}  // namespace

bool CalibrationResult::holds() const {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const auto& verdict) { return verdict.holds(); });
}

Result<CalibrationResult> calibrate(const CalibrationOptions& options, ProcessRunner& runner, Clock& clock,
                                    const CalibrationProgress& progress) {
  CalibrationResult result{.seed = options.seed};
  auto kinds = wanted_kinds(options);
  std::unique_ptr<Blackhole> blackhole;  // before the stage: its sockets must be gone when it goes
  if (std::find(kinds.begin(), kinds.end(), OutageKind::blackhole) != kinds.end()) {
    auto made = Blackhole::create(runner);
    if (made) {
      blackhole = std::move(*made);
    } else {
      result.not_run.push_back({OutageKind::blackhole, made.error().message()});
      std::erase(kinds, OutageKind::blackhole);
    }
  }
  if (kinds.empty()) return result;

  const auto lanes = plan_lanes(kinds, options.outages, options.seed);
  const auto stage = Stage::start({.lanes = lanes,
                                   .blackhole_name = blackhole ? blackhole->name() : "",
                                   .blackhole_address = blackhole ? blackhole->address() : ""});
  if (!stage) return stage.error();
  const auto folder = ScratchFolder::create();
  if (!folder) return folder.error();
  Drive drive{lanes, **stage, clock};
  if (auto opened = drive.open((*folder)->path(), options); !opened) return opened.error();
  if (auto driven = drive.run(progress); !driven) return driven.error();
  const auto evidence = read_evidence((*folder)->path(), lanes, drive.truths());
  if (!evidence) return evidence.error();
  const auto paths = paths_over((*stage)->lanes());
  result.fresh_hz = paths[0].rate_hz;
  result.pooled_hz = paths[1].rate_hz;
  result.verdicts = judge(kinds, *evidence);
  return result;
}

}  // namespace pgfiredrill
