#include "suites/run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "suites/cluster_watch.h"
#include "suites/debts.h"
#include "suites/drill.h"
#include "suites/plan.h"
#include "suites/preflight.h"
#include "suites/preflight_judgement.h"
#include "suites/pump.h"
#include "suites/reconnect_capacity.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr nanoseconds kRedraw = milliseconds{100};
constexpr milliseconds kSwitchoverDeadline{60'000};
constexpr nanoseconds kHealthAfterAbort = seconds{180};
constexpr nanoseconds kHeld = seconds{2};
/// How long others' writes are watched: longer than a session that is idle keeps its counts to itself.
constexpr nanoseconds kOthersWatched = seconds{10};
constexpr nanoseconds kGuardEvery = seconds{1};
/// CLOCK_BOOTTIME and CLOCK_MONOTONIC drift apart by this much only where the machine was suspended.
constexpr nanoseconds kSuspend = milliseconds{100};

const fault::Debt kDatabaseDebt{.kind = "database", .name = kTrafficDatabase};
const fault::Debt kRoleDebt{.kind = "role", .name = kTrafficRole};

/// One run from preflight to the end of its clean-up. Main's.
class SuiteRun {
 public:
  SuiteRun(const RunRequest& request, const RunEnvironment& environment)
      : request_{request},
        environment_{environment},
        manifest_{make_manifest(request, environment.cluster, environment.clock)},
        owner_{fault::this_owner()},
        debts_{environment.journal, environment.locks, request.run_id, owner_},
        live_{manifest_},
        tail_{request.run_folder},
        pump_{environment.clock, environment.background, [this] { return times_stopped(); },
              [this] { tick(); }, [this] { environment_.leave(debts_.open()); }} {
    progress_.suite = request.suite.name;
    progress_.cluster = environment.cluster.name;
    progress_.drill_count = manifest_.drills.size();
    stage_began_ = environment.clock.monotonic();
  }

  RunOutcome run() {
    open_record();
    recorder_->add({.kind = event::kRunStarted});
    try {
      go();
    } catch (const Interrupted&) {
      break_off(ExitClass::aborted, why_stopped());
    } catch (const std::exception& error) {
      // A defect of ours must not leave the cluster as it is now.
      break_off(ExitClass::internal_error, std::string{"Internal error: "} + error.what());
    }
    clean_up();
    close_record();
    return std::move(outcome_);
  }

 private:
  void open_record() {
    auto recorder = Recorder::create(request_.run_folder, environment_.clock);
    if (!recorder) throw Error{recorder.error(), ExitClass::bad_usage};
    recorder_ = std::move(*recorder);
    if (const auto written = recorder_->write_manifest(manifest_); !written) {
      throw Error{written.error(), ExitClass::bad_usage};
    }
  }

  void go() {
    if (!preflight() || !set_up()) return;
    std::size_t serial = 0;
    for (std::size_t drill = 0; drill < manifest_.drills.size(); ++drill) {
      if (!run_drill(drill, serial)) return;
      // Also past what is left out, so that a seed gives each drill the same times.
      serial += static_cast<std::size_t>(manifest_.drills[drill].repeats);
    }
    if (request_.suite.reconnect_capacity) measure_reconnects();
  }

  /// Nothing else is measured by now, and the cluster is healthy: or else its storm would be no measure.
  void measure_reconnects() {
    begin_stage("reconnects");
    const PatroniMember* leader = watch_->latest().leader();
    if (leader == nullptr || !watch_->gaps().empty()) {
      return note_reconnects("Reconnect capacity was not measured: " + all_gaps());
    }
    for (const LoginStorm& storm : find_storms(manifest_.paths, leader->name, access_)) {
      const auto rate =
          pump_.run([&] { return environment_.storm_logins(storm, *recorder_, environment_.clock); });
      if (rate) {
        recorder_->add(reconnect_event(storm, *rate));
      } else {
        note_reconnects(rate.error().message());
      }
    }
  }

  void note_reconnects(const std::string& text) {
    recorder_->add({.kind = event::kRemark, .fields = {{"text", text}}});
  }

  // ---- before the first drill

  bool preflight() {
    begin_stage("preflight");
    baseline_ = pump_.run([&] { return environment_.fault_probe.look(); });
    std::vector<Obstacle> obstacles = firm(refusals_by_snapshot(environment_.cluster, *baseline_));
    append(obstacles, obstacles_by_description(environment_.cluster));
    append(obstacles,
           pump_.run([&] { return obstacles_by_asking(request_, environment_, manifest_, *baseline_); }));
    const Sifted sifted = sift(obstacles, request_.overrides);
    for (const std::string& refusal : sifted.refusals) note(ExitClass::preflight_refused, refusal);
    if (!sifted.refusals.empty() || !spare_others()) return false;
    for (const Obstacle& passed : sifted.overridden) tell_overridden(passed.name, passed.text);
    const auto begun = pump_.run([&] { return debts_.begin(); }, true);
    if (!begun) {
      note(ExitClass::preflight_refused, begun.error().message());
      return false;
    }
    locked_ = true;
    renewed_at_ = environment_.clock.monotonic();
    original_leader_ = baseline_->leader()->name;
    watch_.emplace(environment_.watch_probe, environment_.background, environment_.clock, *recorder_,
                   environment_.cluster, *baseline_, maximum_lag_bytes(environment_.cluster));
    return true;
  }

  /// Others' acknowledged writes are not ours to lose. Watched before any traffic of ours is there to be
  /// taken for theirs.
  bool spare_others() {
    const auto drills = dangerous_drills(manifest_);
    if (drills.empty() || promises_synchronous(manifest_)) return true;
    const std::string leader = baseline_->leader()->name;
    const auto before = pump_.run([&] { return environment_.questions.count_written(leader); });
    const nanoseconds began = environment_.clock.monotonic();
    if (before) pump_.pause(kOthersWatched);
    const auto after =
        before ? pump_.run([&] { return environment_.questions.count_written(leader); }) : before;
    const auto danger =
        after ? danger_to_others(drills,
                                 others_between(*before, *after, environment_.clock.monotonic() - began))
              : std::optional{"Whether others write could not be learnt: " + after.error().message()};
    if (!danger) return true;
    if (!request_.accept_data_loss) {
      note(ExitClass::preflight_refused, *danger + " `--accept-data-loss` runs it all the same.");
      return false;
    }
    tell_overridden("accept-data-loss", *danger);
    return true;
  }

  void tell_overridden(const std::string& name, const std::string& text) {
    recorder_->add({.kind = event::kOverridden, .fields = {{"name", name}, {"text", text}}});
  }

  bool set_up() {
    begin_stage("set up");
    if (!prepare_helper()) return false;
    const TrafficAccess access = make_traffic_access();
    access_ = access;
    login_ = {.database = access.database,
              .user = access.user,
              .password = access.password,
              .sslmode = access.sslmode};
    const auto clients = plan_clients(
        manifest_.paths, environment_.cluster.settings.pool_mode.value.value_or(""), kLedgerConnections);
    const int lanes = static_cast<int>(manifest_.paths.size() + lanes_for(clients));
    const auto made = pump_.run(
        [&]() -> Result<void> {
          for (const fault::Debt& debt : {kRoleDebt, kDatabaseDebt}) {
            if (auto owed = debts_.owe(debt); !owed) return owed;
          }
          if (auto created = environment_.ledger.create(original_leader_, access, lanes); !created)
            return created;
          return debts_.owe({.kind = "leader", .name = original_leader_});
        },
        true);
    if (!made) return refuse_set_up(made.error());
    spare_poolers(access);
    auto traffic =
        environment_.make_traffic({.paths = manifest_.paths,
                                   .access = access,
                                   .pool_mode = environment_.cluster.settings.pool_mode.value.value_or(""),
                                   .ledger_connections = kLedgerConnections,
                                   .synchronous_promised = !manifest_.cluster.synchronous_mode.empty() &&
                                                           manifest_.cluster.synchronous_mode != "off"},
                                  *recorder_, environment_.clock);
    if (!traffic) return refuse_set_up(traffic.error());
    traffic_ = std::move(*traffic);
    clients_ =
        environment_.make_clients({.clients = clients, .access = access}, *recorder_, environment_.clock);
    observer_ = environment_.make_observer(access, *recorder_, environment_.clock);
    return true;
  }

  /// On every host, whichever the faults will hit: a failover changes who that is.
  bool prepare_helper() {
    if (!needs_helper(manifest_)) return true;
    const auto failed = pump_.run(
        [&] {
          std::vector<std::string> messages;
          for (const std::string& name : fault::hosts_to_lock(environment_.cluster)) {
            const auto ready = environment_.helper.prepare(environment_.hosts(name));
            if (!ready) messages.push_back(ready.error().message());
          }
          return messages;
        },
        true);
    for (const std::string& message : failed) note(ExitClass::preflight_refused, message);
    return failed.empty();
  }

  /// Rates are the manifest's, and nothing was sent yet: it is written again where they change.
  void spare_poolers(const TrafficAccess& access) {
    const auto cost = pump_.run([&] { return environment_.login_cost(access); });
    if (!cost) return remark("How dear logins are to the poolers is not known: " + cost.error().message());
    if (!lower_fresh_rates(manifest_, request_, environment_.cluster, *cost)) return;
    char text[120];
    std::snprintf(text, sizeof text,
                  "A login costs a pooler %.1f ms of CPU: fewer fresh sessions than usual.", *cost * 1e3);
    remark(text);
    if (const auto written = recorder_->write_manifest(manifest_); !written) {
      note(ExitClass::inconclusive, written.error().message());
    }
  }

  void remark(const std::string& text) {
    recorder_->add({.kind = event::kRemark, .fields = {{"text", text}}});
  }

  bool refuse_set_up(const Failure& failure) {
    note(ExitClass::preflight_refused, failure.message());
    return false;
  }

  // ---- drills

  /// False where the run cannot go on.
  bool run_drill(std::size_t drill, std::size_t serial) {
    const DrillPlan& plan = manifest_.drills[drill];
    if (plan.measured) {
      environment_.view.say(plan.name + ": measured in " + plan.measured->run + ", not run again");
      return true;
    }
    for (int repeat = 0; repeat < plan.repeats; ++repeat) {
      const auto number = static_cast<std::size_t>(repeat);
      const RepeatEnd end = run_repeat(drill, number, serial + number);
      if (end == RepeatEnd::skipped) return true;
      if (end == RepeatEnd::refused || end == RepeatEnd::unhealthy) return false;
    }
    return true;
  }

  RepeatEnd run_repeat(std::size_t drill, std::size_t repeat, std::size_t serial) {
    const DrillPlan& plan = manifest_.drills[drill];
    progress_.drill = plan.name;
    progress_.drill_number = drill + 1;
    progress_.repeat = static_cast<int>(repeat) + 1;
    progress_.repeats = plan.repeats;
    environment_.view.say(
        "drill " + std::to_string(drill + 1) + " of " + std::to_string(manifest_.drills.size()) + ": " +
        plan.name +
        (plan.repeats > 1 ? ", repeat " + std::to_string(repeat + 1) + " of " + std::to_string(plan.repeats)
                          : ""));
    RunState state{request_,  environment_, manifest_,    *recorder_,   debts_,
                   *traffic_, login_,       *clients_,    *watch_,      pump_,
                   live_,     progress_,    injected_at_, stage_began_, driving_};
    state_.emplace(state);
    repeat_is_open_ = {drill, repeat};
    drill_ = std::make_unique<Drill>(*state_, drill, repeat, serial);
    const RepeatOutcome end = drill_->run();
    repeat_is_open_.reset();
    // What could not be undone is tried once more in the clean-up.
    if (end.end != RepeatEnd::unhealthy) drill_.reset();
    take_in(plan, end);
    return end.end;
  }

  void take_in(const DrillPlan& plan, const RepeatOutcome& end) {
    switch (end.end) {
      case RepeatEnd::done:
        return;
      case RepeatEnd::skipped:
        environment_.view.say(plan.name + " is skipped: " + end.reason);
        return;
      case RepeatEnd::not_taken:
        return note(ExitClass::inconclusive, plan.name + ": " + end.reason);
      case RepeatEnd::refused:
        return note(ExitClass::preflight_refused, plan.name + ": " + end.reason);
      case RepeatEnd::unhealthy:
        return note(ExitClass::revert_incomplete, plan.name + ": " + end.reason);
    }
  }

  void break_off(ExitClass exit, const std::string& reason) {
    note(exit, reason);
    if (clients_) clients_->finish();
    if (driving_) traffic_->stop();
    driving_ = false;
    if (!repeat_is_open_) return;
    recorder_->add({.kind = event::kRepeatEnded,
                    .fields = {{"drill", static_cast<std::int64_t>(repeat_is_open_->first)},
                               {"repeat", static_cast<std::int64_t>(repeat_is_open_->second)},
                               {"outcome", std::string{"aborted"}},
                               {"reason", reason}}});
  }

  // ---- afterwards, whatever happened

  /// The last debt first. The first interrupt is what brought us here; a second one cuts the waits short.
  void clean_up() {
    pump_.tolerate(1);
    if (!locked_) return;
    begin_stage("clean up");
    undo_fault();
    give_leader_back();
    clients_.reset();
    traffic_.reset();
    stop_observer();
    drop_database();
    drill_.reset();
    const auto ended = pump_.run([&] { return debts_.end(); }, true);
    if (!ended) note(ExitClass::revert_incomplete, ended.error().message());
    if (!debts_.open().empty()) {
      note(ExitClass::revert_incomplete, "Run `pgfiredrill heal -i INVENTORY` to undo what is left.");
    }
  }

  /// Its sessions are in the database that will be dropped. Beside main: it may have to wait for ssh.
  void stop_observer() {
    pump_.run(
        [&] {
          observer_.reset();
          return true;
        },
        true);
  }

  [[nodiscard]] std::optional<fault::Debt> owed(const std::string& kind) const {
    for (const fault::Debt& debt : debts_.open()) {
      if (debt.kind == kind) return debt;
    }
    return std::nullopt;
  }

  void settle(const fault::Debt& debt) {
    const auto settled = pump_.run([&] { return debts_.settle(debt); }, true);
    if (!settled) note(ExitClass::revert_incomplete, settled.error().message());
  }

  void undo_fault() {
    if (!owed("fault") || !undo_armed()) return;
    while (const auto debt = owed("fault")) settle(*debt);
  }

  /// What stands armed is undone, whether it was injected yet or not.
  bool undo_armed() {
    try {
      const std::string left = drill_ == nullptr ? std::string{} : drill_->revert();
      if (!left.empty()) {
        note(ExitClass::revert_incomplete, left);
        return false;
      }
      if (injected_at_ == nanoseconds{0}) return true;
      environment_.view.say("waiting until the cluster is fully healthy");
      if (wait_until_healthy(kHealthAfterAbort)) return true;
    } catch (const Interrupted&) {
      note(ExitClass::revert_incomplete, "Not waited until the cluster was healthy, on request.");
      return false;
    }
    note(ExitClass::revert_incomplete, "The cluster is not fully healthy: " + all_gaps());
    return false;
  }

  [[nodiscard]] bool wait_until_healthy(nanoseconds limit) {
    const nanoseconds asked_at = environment_.clock.monotonic();
    return pump_.wait_until(
        [&] {
          const auto since = watch_->healthy_since();
          return since && watch_->latest().at - *since >= kHeld && watch_->latest().at >= asked_at;
        },
        limit);
  }

  [[nodiscard]] std::string all_gaps() const { return join(watch_->gaps(), " "); }

  void give_leader_back() {
    const auto debt = owed("leader");
    if (!debt) return;
    if (owed("fault")) return;  // not healthy: a switchover now would make it worse
    if (request_.keep_leader || leads(original_leader_)) return settle(*debt);
    // A change of leader that no fault of ours caused is not ours to undo.
    if (!injected_once_) return settle(*debt);
    environment_.view.say("giving the leader's role back to " + original_leader_);
    try {
      if (switch_back()) settle(*debt);
    } catch (const Interrupted&) {
      note(ExitClass::revert_incomplete, "The leader was not put back, on request.");
    }
  }

  [[nodiscard]] bool leads(const std::string& member) const {
    const PatroniMember* leader = watch_->latest().leader();
    return leader != nullptr && leader->name == member;
  }

  [[nodiscard]] bool switch_back() {
    const PatroniMember* found = watch_->latest().leader();
    if (found == nullptr) {
      note(ExitClass::revert_incomplete, "The leader was not put back: nobody leads now.");
      return false;
    }
    const PatroniMember leader = *found;
    const auto asked = pump_.run(
        [&] {
          return request_switchover(environment_.cluster, environment_.http, leader, original_leader_,
                                    kSwitchoverDeadline);
        },
        true);
    if (!asked) {
      note(ExitClass::revert_incomplete, asked.error().message());
      return false;
    }
    const bool back = pump_.wait_until([&] { return leads(original_leader_); }, kHealthAfterAbort) &&
                      wait_until_healthy(kHealthAfterAbort);
    if (!back) note(ExitClass::revert_incomplete, "After the leader was put back: " + all_gaps());
    return back;
  }

  void drop_database() {
    if (!owed("database") && !owed("role")) return;
    const PatroniMember* found = watch_->latest().leader();
    const std::string leader = found == nullptr ? original_leader_ : found->name;
    const auto dropped = pump_.run([&] { return environment_.ledger.drop(leader); }, true);
    if (!dropped) return note(ExitClass::revert_incomplete, dropped.error().message());
    settle(kDatabaseDebt);
    settle(kRoleDebt);
  }

  void close_record() {
    const nanoseconds suspended = (environment_.clock.boottime() - manifest_.origin.boottime) -
                                  (environment_.clock.monotonic() - manifest_.origin.monotonic);
    if (suspended > kSuspend) {
      recorder_->add({.kind = event::kSuspended, .fields = {{"suspended_s", to_seconds(suspended)}}});
    }
    recorder_->add(
        {.kind = event::kRunEnded,
         .fields = {{"outcome", std::string{outcome_name()}}, {"reason", join(outcome_.messages, " ")}}});
    recorder_->sync();
    if (const std::string trouble = recorder_->trouble(); !trouble.empty()) {
      note(ExitClass::inconclusive, trouble);
    }
    recorder_.reset();
  }

  [[nodiscard]] const char* outcome_name() const {
    switch (outcome_.exit) {
      case ExitClass::preflight_refused:
        return "refused";
      case ExitClass::aborted:
      case ExitClass::revert_incomplete:
      case ExitClass::internal_error:
        return "aborted";
      case ExitClass::inconclusive:
        return "inconclusive";
      default:
        return "passed";
    }
  }

  // ---- while waiting

  void tick() {
    if (watch_) watch_->poll();
    renew_lock();
    if (injected_at_ > nanoseconds{0}) injected_once_ = true;
    const nanoseconds now = environment_.clock.monotonic();
    if (now < next_redraw_) return;
    next_redraw_ = now + kRedraw;
    tail_.poll([this](const Operation& operation) { live_.on(operation); });
    redraw(now);
    watch_limits(now);
  }

  /// From the injection on: before it there is nothing that stopping would spare.
  void watch_limits(nanoseconds now) {
    const bool in_force = driving_ && injected_at_ > nanoseconds{0} && guard_tripped_.empty();
    if (!in_force || now < guarded_at_ + kGuardEvery) return;
    guarded_at_ = now;
    guard_tripped_ = guard_trips(request_.guard, manifest_.paths, progress_.paths).value_or("");
  }

  void redraw(nanoseconds now) {
    progress_.elapsed_s = to_seconds(now - manifest_.origin.monotonic);
    progress_.stage_s = to_seconds(now - stage_began_);
    progress_.since_injection_s.reset();
    if (injected_at_ > nanoseconds{0}) progress_.since_injection_s = to_seconds(now - injected_at_);
    if (watch_) {
      progress_.topology = watch_->topology();
      progress_.gaps = watch_->gaps();
    }
    progress_.paths = driving_ ? live_.look(now) : std::vector<LivePath>{};
    environment_.view.show(progress_);
  }

  void renew_lock() {
    if (!locked_) return;
    if (renewal_ != nullptr) {
      if (!renewal_->done()) return;
      renewal_.reset();
      take_in_renewal();
    }
    const nanoseconds now = environment_.clock.monotonic();
    if (now < renewed_at_ + nanoseconds{fault::kLockRenewal}) return;
    renewed_at_ = now;
    renewal_ = environment_.background.start([this] { renewed_ = debts_.renew(); });
  }

  /// A host that does not answer now may answer again; a lock that somebody else holds ends the run.
  void take_in_renewal() {
    progress_.notice = renewed_ ? "" : renewed_.error().message();
    if (renewed_ || renewed_.error().kind != FailureKind::denied || lost_lock_) return;
    lost_lock_ = true;
    note(ExitClass::aborted, renewed_.error().message());
  }

  /// By people, and once by the loss of the lock or the guard.
  [[nodiscard]] int times_stopped() const {
    return environment_.interrupts() + (lost_lock_ || !guard_tripped_.empty() ? 1 : 0);
  }

  [[nodiscard]] std::string why_stopped() const {
    if (lost_lock_) return "Stopped: the lock was lost.";
    return guard_tripped_.empty() ? "Stopped on request." : guard_tripped_;
  }

  void begin_stage(const std::string& stage) {
    progress_.stage = stage;
    progress_.stage_of_s.reset();
    stage_began_ = environment_.clock.monotonic();
    environment_.view.begin(progress_);
  }

  void note(ExitClass exit, const std::string& message) {
    outcome_.exit = more_serious(outcome_.exit, exit);
    outcome_.messages.push_back(message);
  }

  static void append(std::vector<Obstacle>& to, const std::vector<Obstacle>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  const RunRequest& request_;
  const RunEnvironment& environment_;
  RunManifest manifest_;  ///< as it is written
  const std::string owner_;
  std::unique_ptr<Recorder> recorder_;
  Debts debts_;
  LiveView live_;
  OperationTail tail_;
  Pump pump_;
  RunProgress progress_;
  RunOutcome outcome_;

  std::optional<ClusterSnapshot> baseline_;
  std::string original_leader_;
  TrafficAccess access_;
  ConnectParameters login_;  ///< of the traffic's role, without an address
  std::optional<ClusterWatch> watch_;
  std::unique_ptr<Traffic> traffic_;
  std::unique_ptr<ApplicationClients> clients_;
  std::unique_ptr<ServerObserver> observer_;
  std::optional<RunState> state_;
  std::unique_ptr<Drill> drill_;
  std::optional<std::pair<std::size_t, std::size_t>> repeat_is_open_;

  nanoseconds injected_at_{0};
  nanoseconds stage_began_{0};
  nanoseconds next_redraw_{0};
  nanoseconds renewed_at_{0};
  nanoseconds guarded_at_{0};
  std::string guard_tripped_;  ///< why the guard stopped the run; empty: it did not
  bool locked_ = false;
  bool driving_ = false;
  bool lost_lock_ = false;
  bool injected_once_ = false;
  Result<void> renewed_;
  std::unique_ptr<BackgroundTask> renewal_;  // last: it uses the others
};

}  // namespace

RunOutcome run_suite(const RunRequest& request, const RunEnvironment& environment) {
  return SuiteRun{request, environment}.run();
}

}  // namespace pgfiredrill
