#include "suites/drill.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "record/readback.h"
#include "suites/preflight.h"

namespace pgfiredrill {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

constexpr nanoseconds kLoginDeadline = seconds{20};
constexpr nanoseconds kClientsDeadline = seconds{10};
constexpr int kBaselines = 3;
constexpr nanoseconds kVerifyDeadline = seconds{30};
/// Until a further fault finds its victim: a failover, as long as it may take.
constexpr nanoseconds kAimDeadline = seconds{120};
constexpr nanoseconds kFenceDeadline = seconds{20};
constexpr nanoseconds kReadDeadline = seconds{60};
/// How long health must have held before it counts.
constexpr nanoseconds kHeld = seconds{2};
/// After observation there is at least this much time to become healthy, whatever the drill's deadline says.
constexpr nanoseconds kLeastHealthWait = seconds{10};
/// The longest random delay where loop_wait is not known.
constexpr nanoseconds kUsualLoop = seconds{10};

nanoseconds from_seconds(double value) {
  return nanoseconds{static_cast<nanoseconds::rep>(value * 1e9)};
}

std::string not_answered(const std::string& paths, const std::string& text) {
  return "No answer on " + paths + ": " + text + ".";
}

const char* name_of(RepeatEnd end) {
  switch (end) {
    case RepeatEnd::done:
      return "done";
    case RepeatEnd::refused:
      return "refused";
    case RepeatEnd::skipped:
      return "skipped";
    case RepeatEnd::not_taken:
      return "not_taken";
    case RepeatEnd::unhealthy:
      return "revert_incomplete";
  }
  return "done";
}

/// Members' names come from Patroni and may hold anything; the number keeps two apart that become equal.
std::string readback_file(std::size_t serial, std::size_t index, std::string member) {
  for (char& c : member) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!plain) c = '_';
  }
  char number[48];
  std::snprintf(number, sizeof number, "readback-%03zu-%zu-", serial, index);
  return number + member.substr(0, 60) + ".bin";
}

}  // namespace

Drill::Drill(RunState& state, std::size_t drill, std::size_t repeat, std::size_t serial)
    : state_{state}, plan_{state.manifest.drills[drill]}, drill_{drill}, repeat_{repeat}, serial_{serial} {
  specs_.push_back(plan_.fault);
  specs_.insert(specs_.end(), plan_.then.begin(), plan_.then.end());
  for (std::size_t number = 0; number < specs_.size(); ++number)
    faults_.push_back(make_fault(specs_[number], number));
}

std::unique_ptr<fault::Fault> Drill::make_fault(const FaultSpec& spec, std::size_t number) const {
  const RunEnvironment& environment = state_.environment;
  return environment.make_fault(spec, {.cluster = environment.cluster,
                                       .http = environment.http,
                                       .hosts = environment.hosts,
                                       .probe = environment.fault_probe,
                                       .clock = environment.clock,
                                       .helper = environment.helper,
                                       .id = state_.request.run_id + "." + std::to_string(serial_ + 1) + "." +
                                             std::to_string(number + 1),
                                       .power = environment.power,
                                       .traffic = &state_.login});
}

std::uint16_t Drill::first_stream() const noexcept {
  return static_cast<std::uint16_t>(1 + serial_ * kLedgerConnections);
}

std::uint16_t Drill::last_stream() const noexcept {
  return static_cast<std::uint16_t>(first_stream() + kLedgerConnections - 1);
}

RepeatOutcome Drill::run() {
  state_.injected_at = nanoseconds{0};
  state_.recorder.add({.kind = event::kRepeatStarted,
                       .fields = {{"drill", static_cast<std::int64_t>(drill_)},
                                  {"repeat", static_cast<std::int64_t>(repeat_)}}});
  for (const auto step :
       {&Drill::steady_state, &Drill::log_in, &Drill::baseline, &Drill::aim, &Drill::stamp}) {
    if (const auto refusal = (this->*step)()) return refuse(*refusal);
  }
  RepeatOutcome course = inject();
  if (course.end == RepeatEnd::done) course = last();
  const std::string left = revert();
  if (is_held() && course.end == RepeatEnd::done) observe();
  const bool healthy = wait_for_health();
  stop_traffic();
  record_history();
  read_back();
  if (!left.empty()) return end(RepeatEnd::unhealthy, left);
  if (!healthy) {
    return end(RepeatEnd::unhealthy, "The cluster is not fully healthy: " + join(state_.watch.gaps(), " "));
  }
  if (const auto settled = settle(); !settled) return end(RepeatEnd::unhealthy, settled.error().message());
  return end(course.end, course.reason);
}

/// Nothing was broken; what was armed by then is disarmed.
RepeatOutcome Drill::refuse(const std::string& refusal) {
  const std::string left = revert();
  if (!left.empty()) return end(RepeatEnd::unhealthy, refusal + " " + left);
  if (const auto settled = settle(); !settled) return end(RepeatEnd::unhealthy, settled.error().message());
  return end(no_victim_ ? RepeatEnd::skipped : RepeatEnd::refused, refusal);
}

Result<void> Drill::settle() {
  for (const fault::Debt& debt : debts_) {
    const auto settled = state_.pump.run([&] { return state_.debts.settle(debt); }, true);
    if (!settled) return settled;
  }
  debts_.clear();
  return {};
}

void Drill::stop_traffic() {
  state_.clients.finish();
  if (!state_.driving) return;
  state_.driving = false;
  state_.traffic.stop();
}

RepeatOutcome Drill::end(RepeatEnd how, const std::string& reason) {
  stop_traffic();
  state_.recorder.add({.kind = event::kRepeatEnded,
                       .fields = {{"drill", static_cast<std::int64_t>(drill_)},
                                  {"repeat", static_cast<std::int64_t>(repeat_)},
                                  {"outcome", std::string{name_of(how)}},
                                  {"reason", reason}}});
  return {how, reason};
}

void Drill::stage(const std::string& name, std::optional<double> takes_s) {
  state_.recorder.add({.kind = event::kStage,
                       .fields = {{"drill", static_cast<std::int64_t>(drill_)},
                                  {"repeat", static_cast<std::int64_t>(repeat_)},
                                  {"stage", name}}});
  state_.progress.stage = name;
  state_.progress.stage_of_s = takes_s;
  state_.stage_began = state_.environment.clock.monotonic();
  state_.environment.view.begin(state_.progress);
}

std::optional<std::string> Drill::steady_state() {
  stage("preflight");
  const ClusterSnapshot now = state_.pump.run([&] { return state_.environment.fault_probe.look(); });
  const auto refusals = refusals_by_snapshot(state_.environment.cluster, now);
  if (!refusals.empty()) return join(refusals, " ");
  return std::nullopt;
}

std::optional<std::string> Drill::log_in() {
  stage("log in");
  const auto troubles = state_.pump.run([&] { return state_.traffic.warm_up(kLoginDeadline); });
  std::map<std::string, std::string> refused;  // paths by what they said: one cause is told once
  for (const PathTrouble& trouble : troubles) {
    const auto path = std::find_if(state_.manifest.paths.begin(), state_.manifest.paths.end(),
                                   [&](const TrafficPath& known) { return known.id == trouble.path; });
    if (path != state_.manifest.paths.end() && !path->needed_for_steady_state) {
      state_.recorder.add(
          {.kind = event::kRemark, .fields = {{"text", not_answered(trouble.path, trouble.text)}}});
    } else {
      std::string& paths = refused[trouble.text];
      paths += (paths.empty() ? "" : ", ") + trouble.path;
    }
  }
  std::string refusal;
  for (const auto& [text, paths] : refused)
    refusal += (refusal.empty() ? "" : " ") + not_answered(paths, text);
  if (!refusal.empty()) return refusal;
  return std::nullopt;
}

std::optional<std::string> Drill::baseline() {
  stage("baseline", plan_.baseline_s);
  state_.pump.run([&] {
    state_.clients.open(drill_, repeat_, kClientsDeadline);
    return true;
  });
  state_.live.mark();
  state_.traffic.start(first_stream());
  state_.driving = true;
  for (int tries = 1;; ++tries) {
    state_.pump.pause(from_seconds(plan_.baseline_s));
    if (paths_answer()) return std::nullopt;
    if (tries == kBaselines) break;
    // A pooler may still refuse logins for the fault of the drill before; what is not steady is no baseline.
    stage("baseline", plan_.baseline_s);
  }
  return "Traffic had errors before any fault: a path was not up at the end of " +
         std::to_string(kBaselines) + " baselines, one after the other.";
}

/// Late, so that the victim is who leads when it is hit; what is owed is written down before.
std::optional<std::string> Drill::aim() {
  stage("arm");
  const ClusterSnapshot now = state_.pump.run([&] { return state_.environment.fault_probe.look(); });
  const auto refusals = refusals_by_snapshot(state_.environment.cluster, now);
  if (!refusals.empty()) return join(refusals, " ");
  return arm(0, now);
}

/// What is owed is written down before anything stands on a target.
std::optional<std::string> Drill::arm(std::size_t number, const ClusterSnapshot& now) {
  fault::Fault& fault = *faults_[number];
  if (const auto aimed = state_.pump.run([&] { return fault.aim(now); }); !aimed) {
    no_victim_ = number == 0 && aimed.error().kind == FailureKind::missing;
    return aimed.error().message();
  }
  const fault::Debt debt{.kind = "fault", .name = specs_[number].kind, .detail = fault.target()};
  if (const auto owed = state_.pump.run([&] { return state_.debts.owe(debt); }); !owed) {
    return owed.error().message();
  }
  debts_.push_back(debt);
  if (const auto armed = state_.pump.run([&] { return fault.arm(); }, true); !armed) {
    return armed.error().message();
  }
  return std::nullopt;
}

/// Before the fault, so that a run that is killed in it has left its stamp.
std::optional<std::string> Drill::stamp() {
  const auto stamped = state_.pump.run([&] { return state_.environment.locks.stamp(); }, true);
  if (!stamped) return stamped.error().message();
  return std::nullopt;
}

nanoseconds Drill::random_delay() {
  std::mt19937_64 generator{state_.manifest.seed * 1'000'003 + serial_};
  const auto& loop_wait = state_.environment.cluster.settings.loop_wait.value;
  const nanoseconds longest = loop_wait ? nanoseconds{*loop_wait} : kUsualLoop;
  return from_seconds(std::uniform_real_distribution<double>{0, to_seconds(longest)}(generator));
}

RepeatOutcome Drill::not_taken(const std::string& reason) {
  state_.recorder.add({.kind = event::kFaultNotTaken, .fields = {{"reason", reason}}});
  return {RepeatEnd::not_taken, reason};
}

RepeatOutcome Drill::inject() {
  RepeatOutcome outcome = inject_first();
  for (std::size_t number = 1; number < faults_.size() && outcome.end == RepeatEnd::done; ++number) {
    outcome = inject_further(number);
  }
  return outcome;
}

RepeatOutcome Drill::inject_first() {
  const nanoseconds delay = random_delay();
  stage("wait a random time", to_seconds(delay));
  state_.pump.pause(delay);
  stage("inject");
  state_.live.mark();
  state_.injected_at = state_.environment.clock.monotonic();
  state_.recorder.add({.kind = event::kFaultSent,
                       .at = state_.injected_at,
                       .fields = {{"fault", plan_.fault.kind},
                                  {"target", faults_.front()->target()},
                                  {"delay_s", to_seconds(delay)}}});
  state_.clients.fault_sent(state_.injected_at);
  const fault::Evidence evidence = break_it(*faults_.front());
  confirmed_at_ = state_.environment.clock.monotonic();
  if (!evidence.took) return not_taken("The fault did not take: " + evidence.sentence);
  state_.recorder.add(
      {.kind = event::kFaultConfirmed, .at = confirmed_at_, .fields = {{"evidence", evidence.sentence}}});
  return {};
}

fault::Evidence Drill::break_it(fault::Fault& fault) {
  const auto injected = state_.pump.run([&] { return fault.inject(); }, true);
  if (!injected && !injected.error().transaction_in_doubt) {
    return {.took = false, .sentence = injected.error().message()};
  }
  stage("verify");
  return state_.pump.run([&] { return fault.verify(kVerifyDeadline); }, true);
}

RepeatOutcome Drill::inject_further(std::size_t number) {
  const FaultSpec& spec = specs_[number];
  stage("wait for the next fault", spec.after_s);
  state_.pump.pause(from_seconds(spec.after_s));
  const std::string which = "The further fault " + spec.kind;
  if (const auto refusal = aim_again(number)) return not_taken(which + " was not injected: " + *refusal);
  stage("inject");
  state_.recorder.add({.kind = event::kFurtherFaultSent,
                       .fields = {{"fault", spec.kind}, {"target", faults_[number]->target()}}});
  const fault::Evidence evidence = break_it(*faults_[number]);
  confirmed_at_ = state_.environment.clock.monotonic();
  if (!evidence.took) return not_taken(which + " did not take: " + evidence.sentence);
  state_.recorder.add({.kind = event::kFurtherFaultConfirmed,
                       .at = confirmed_at_,
                       .fields = {{"fault", spec.kind}, {"evidence", evidence.sentence}}});
  return {};
}

/// The cluster copes with the fault before: a victim may not be there yet (nobody leads).
std::optional<std::string> Drill::aim_again(std::size_t number) {
  const nanoseconds deadline = state_.environment.clock.monotonic() + kAimDeadline;
  while (true) {
    const ClusterSnapshot now = state_.pump.run([&] { return state_.environment.fault_probe.look(); });
    const auto refusal = arm(number, now);
    if (!refusal) return std::nullopt;
    if (debts_.size() > number || state_.environment.clock.monotonic() >= deadline) return refusal;
    state_.pump.pause(seconds{1});
  }
}

bool Drill::is_held() const {
  return std::any_of(specs_.begin(), specs_.end(), [](const FaultSpec& spec) { return spec.hold_s; });
}

/// From the confirmation to the moment at which the faults are undone.
RepeatOutcome Drill::last() {
  if (is_held()) return hold();
  observe();
  return {};
}

RepeatOutcome Drill::hold() {
  double longest = 0;
  for (const FaultSpec& spec : specs_) longest = std::max(longest, spec.hold_s.value_or(0));
  stage("hold", longest);
  state_.pump.pause(from_seconds(longest));
  for (std::size_t number = 0; number < faults_.size(); ++number) {
    if (!specs_[number].hold_s) continue;
    const fault::Evidence held = state_.pump.run([&] { return faults_[number]->verify_held(); }, true);
    if (!held.took) return not_taken("The fault did not stay in force until its revert: " + held.sentence);
  }
  return {};
}

void Drill::observe() {
  stage("observe");
  const nanoseconds long_enough = from_seconds(plan_.observe_s);
  (void)state_.pump.wait_until(
      [&] {
        const nanoseconds last = std::max(confirmed_at_, state_.watch.last_change());
        return state_.environment.clock.monotonic() >= last + long_enough;
      },
      from_seconds(plan_.health_deadline_s));
}

std::string Drill::revert() {
  if (debts_.empty()) return {};
  stage("revert");
  std::vector<std::string> left;
  for (std::size_t number = debts_.size(); number-- > 0;) {
    left.push_back(revert_one(*faults_[number], specs_[number]));
  }
  return join(left, " ");
}

std::string Drill::revert_one(fault::Fault& fault, const FaultSpec& spec) {
  const nanoseconds began = state_.environment.clock.monotonic();
  const nanoseconds deadline =
      std::max(state_.injected_at + from_seconds(plan_.health_deadline_s), began + kLeastHealthWait);
  fault::Evidence evidence;
  bool recorded = false;
  while (true) {
    const auto reverted = state_.pump.run([&] { return fault.revert(); }, true);
    if (reverted && !recorded) state_.recorder.add({.kind = event::kFaultReverted});
    recorded = recorded || reverted.has_value();
    evidence = reverted ? state_.pump.run([&] { return fault.verify_reverted(); }, true)
                        : fault::Evidence{.took = false, .sentence = reverted.error().message()};
    if (evidence.took || state_.environment.clock.monotonic() >= deadline) break;
    state_.pump.pause(seconds{1});
  }
  state_.recorder.add({.kind = event::kRevertVerified,
                       .fields = {{"verified", evidence.took}, {"evidence", evidence.sentence}}});
  if (evidence.took) return {};
  const std::string by_hand = join(fault.by_hand(), "; ");
  return "That " + spec.kind + " on " + fault.target() +
         " is undone could not be verified: " + evidence.sentence +
         (by_hand.empty() ? "." : ". By hand: " + by_hand + ".");
}

bool Drill::paths_answer() {
  const auto paths = state_.live.look(state_.environment.clock.monotonic());
  return std::all_of(paths.begin(), paths.end(), [&](const LivePath& live) {
    const auto path = std::find_if(state_.manifest.paths.begin(), state_.manifest.paths.end(),
                                   [&](const TrafficPath& known) { return known.id == live.id; });
    const bool needed = path != state_.manifest.paths.end() && path->needed_for_steady_state;
    return !needed || live.health == PathHealth::up;
  });
}

bool Drill::wait_for_health() {
  stage("health");
  const nanoseconds now = state_.environment.clock.monotonic();
  const nanoseconds end =
      std::max(state_.injected_at + from_seconds(plan_.health_deadline_s), now + kLeastHealthWait);
  return state_.pump.wait_until(
      [&] {
        const auto since = state_.watch.healthy_since();
        return since && state_.watch.latest().at - *since >= kHeld && paths_answer();
      },
      end - now);
}

/// Which timelines ended where: a fork is what tells a lost write from one that never was.
void Drill::record_history() {
  const PatroniMember* leader = state_.watch.latest().leader();
  if (leader == nullptr) return;
  const auto address = parse_http_address(leader->api_url, kPatroniPort);
  if (!address) return;
  const PatroniRest rest{state_.environment.http, *address,
                         TlsIdentity{.ca_pem = state_.environment.cluster.access.rest_ca_pem}, leader->name};
  const auto history = state_.pump.run([&] { return rest.history(); }, true);
  if (!history) {
    state_.recorder.add({.kind = event::kRemark, .fields = {{"text", history.error().message()}}});
    return;
  }
  for (const PatroniHistoryEntry& entry : *history) {
    char lsn[32];
    std::snprintf(lsn, sizeof lsn, "%X/%X", static_cast<unsigned>(entry.switch_lsn >> 32),
                  static_cast<unsigned>(entry.switch_lsn & 0xffffffffu));
    state_.recorder.add({.kind = event::kTimelineHistory,
                         .fields = {{"timeline", entry.timeline}, {"lsn", std::string{lsn}}}});
  }
}

void Drill::read_back() {
  stage("fence");
  state_.pump.run([&] {
    state_.traffic.disconnect();
    return true;
  });
  const PatroniMember* leader = state_.watch.latest().leader();
  const auto& members = state_.environment.cluster.members;
  const auto remark = [&](const Failure& failure) {
    state_.recorder.add({.kind = event::kRemark, .fields = {{"text", failure.message()}}});
  };
  if (leader == nullptr) return;
  const std::string leader_name = leader->name;
  for (const Member& member : members) {
    const auto ended =
        state_.pump.run([&] { return state_.environment.ledger.end_sessions(member.name, kFenceDeadline); });
    if (!ended) remark(ended.error());
  }
  const auto fence = state_.pump.run([&] { return state_.environment.ledger.fence(leader_name); });
  if (!fence) return remark(fence.error());
  state_.recorder.add({.kind = event::kFence,
                       .fields = {{"drill", static_cast<std::int64_t>(drill_)},
                                  {"repeat", static_cast<std::int64_t>(repeat_)},
                                  {"lsn", fence->lsn},
                                  {"timeline", static_cast<std::int64_t>(fence->timeline)}}});
  stage("readback");
  for (std::size_t index = 0; index < members.size(); ++index) {
    const Member& member = members[index];
    const std::string file = readback_file(serial_, index, member.name);
    const auto read = state_.pump.run([&]() -> Result<LedgerReadback> {
      auto rows =
          state_.environment.ledger.read(member.name, *fence, first_stream(), last_stream(), kReadDeadline);
      if (!rows) return rows.error();
      const auto written = write_readback(state_.recorder.folder() + "/" + file, rows->runs);
      if (!written) return written.error();
      return rows;
    });
    state_.recorder.add({.kind = event::kReadback,
                         .fields = {{"drill", static_cast<std::int64_t>(drill_)},
                                    {"repeat", static_cast<std::int64_t>(repeat_)},
                                    {"member", member.name},
                                    {"host", member.host},
                                    {"ok", read.has_value()},
                                    {"reason", read ? std::string{} : read.error().message()},
                                    {"file", read ? file : std::string{}},
                                    {"rows", static_cast<std::int64_t>(read ? read->rows : 0)},
                                    {"timeline", static_cast<std::int64_t>(read ? read->timeline : 0)},
                                    {"replay_lsn", read ? read->replay_lsn : std::string{}}}});
  }
}

}  // namespace pgfiredrill
