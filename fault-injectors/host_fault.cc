#include "fault-injectors/host_fault.h"

#include <cmath>
#include <future>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "fault-injectors/host_scripts.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

/// What a blow may take to be proven, and its undoing to be asked for.
constexpr std::chrono::seconds kBlow{30};
/// From arming to the injection (a random wait of up to loop_wait is in it), for the proof, and for a machine
/// of ours that is slow to ask for the revert.
constexpr std::chrono::seconds kSlack{120};

std::string seconds_text(double seconds) {
  return std::to_string(static_cast<long>(std::ceil(seconds)));
}

std::string told(const Host& host, const std::string& sentence) {
  return host.name() + ": " + sentence;
}

}  // namespace

HostFault::HostFault(const FaultSpec& spec, Tools tools)
    : spec_{spec}, tools_{std::move(tools)}, target_{spec.target} {}

const std::string& HostFault::option(const std::string& name) const {
  return spec_.options.at(name);
}

std::chrono::seconds HostFault::armed_for() const {
  const double hold = spec_.hold_s.value_or(static_cast<double>(kBlow.count()));
  return std::chrono::seconds{static_cast<long>(std::ceil(hold))} + kSlack;
}

Result<void> HostFault::aim(const ClusterSnapshot& now) {
  auto victims = choose_victims(spec_.target, now, tools_);
  if (!victims) return victims.error();
  victims_ = std::move(*victims);
  target_ = names_of(victims_);
  auto breakages = plan(victims_, now);
  if (!breakages) return breakages.error();
  placed_.clear();
  for (Breakage& breakage : *breakages) {
    Host& host = tools_.hosts(breakage.host);
    placed_.push_back({std::move(breakage), tools_.id + "." + std::to_string(placed_.size() + 1), &host});
  }
  return {};
}

std::vector<std::string> HostFault::describe() const {
  std::vector<std::string> lines;
  const auto add = [&](const Placed& placed, std::vector<std::string> said) {
    lines.push_back("on " + placed.host->name() + ": " + typed(tools_.helper.command(std::move(said))));
  };
  for (const Placed& placed : placed_) {
    std::vector<std::string> said{"arm", placed.id, std::to_string(armed_for().count())};
    said.insert(said.end(), placed.breakage.words.begin(), placed.breakage.words.end());
    add(placed, said);
  }
  const std::string hold = seconds_text(spec_.hold_s.value_or(0));
  for (const Placed& placed : placed_) add(placed, {"inject", placed.id, hold});
  for (auto placed = placed_.rbegin(); placed != placed_.rend(); ++placed)
    add(*placed, {"revert", placed->id});
  return lines;
}

Result<void> HostFault::arm() {
  for (const Placed& placed : placed_) {
    std::vector<std::string> said{"arm", placed.id, std::to_string(armed_for().count())};
    said.insert(said.end(), placed.breakage.words.begin(), placed.breakage.words.end());
    const auto armed = tools_.helper.call(*placed.host, "arm " + placed.breakage.words.front(), said);
    if (!armed) return armed.error();
  }
  return {};
}

Result<void> HostFault::inject() {
  return all_at_once() ? inject_at_once() : inject_in_turn();
}

Result<void> HostFault::inject_one(const Placed& placed) const {
  const std::string hold = seconds_text(spec_.hold_s.value_or(0));
  const auto injected =
      tools_.helper.call(*placed.host, placed.breakage.words.front(), {"inject", placed.id, hold});
  if (injected) return {};
  Failure failure = injected.error();
  const bool unknown = failure.kind == FailureKind::timed_out || failure.kind == FailureKind::unreachable;
  failure.transaction_in_doubt = failure.transaction_in_doubt || unknown;
  return failure;
}

Result<void> HostFault::inject_in_turn() const {
  bool begun = false;
  for (const Placed& placed : placed_) {
    if (const auto injected = inject_one(placed); !injected) {
      Failure failure = injected.error();
      failure.transaction_in_doubt = failure.transaction_in_doubt || begun;
      return failure;
    }
    begun = true;
  }
  return {};
}

Result<void> HostFault::inject_at_once() const {
  std::vector<std::future<Result<void>>> under_way;
  for (const Placed& placed : placed_) {
    under_way.push_back(std::async(std::launch::async, [this, &placed] { return inject_one(placed); }));
  }
  std::optional<Failure> first;
  bool begun = false;
  for (auto& each : under_way) {
    const auto injected = each.get();
    begun = begun || injected;
    if (!injected && !first) first = injected.error();
  }
  if (!first) return {};
  first->transaction_in_doubt = first->transaction_in_doubt || begun;
  return *first;
}

/// It does not answer over the connection that stands, nor does it let anybody in anew.
bool HostFault::is_silent(const Placed& placed, const Failure& failure) const {
  const bool no_answer = failure.kind == FailureKind::unreachable || failure.kind == FailureKind::timed_out;
  return silence_proves_it() && no_answer && !placed.host->log_in_anew();
}

Evidence HostFault::in_force() const {
  Evidence all{.took = !placed_.empty(), .sentence = placed_.empty() ? "it was not aimed at" : ""};
  std::vector<std::string> sentences;
  for (const Placed& placed : placed_) {
    const auto state = tools_.helper.check(*placed.host, placed.id);
    if (!state && is_silent(placed, state.error())) {
      sentences.push_back(told(*placed.host, "it does not answer any more"));
      continue;
    }
    all.took = all.took && state && state->state == "injected" && state->in_force;
    sentences.push_back(told(*placed.host, state ? state->sentence : state.error().message()));
  }
  if (!sentences.empty()) all.sentence = join(sentences, "; ");
  return all;
}

Evidence HostFault::judge(const ClusterSnapshot&) {
  return {.took = true, .sentence = {}};
}

Evidence HostFault::verify(nanoseconds deadline) {
  return watch(tools_, deadline, [this](const ClusterSnapshot& now) {
    Evidence hosts = in_force();
    if (!hosts.took) return hosts;
    const Evidence cluster = judge(now);
    return Evidence{.took = cluster.took, .sentence = join({hosts.sentence, cluster.sentence}, "; ")};
  });
}

Evidence HostFault::verify_held() {
  return in_force();
}

Result<void> HostFault::revert() {
  Result<void> first;
  for (auto placed = placed_.rbegin(); placed != placed_.rend(); ++placed) {
    const auto reverted =
        tools_.helper.call(*placed->host, "undo " + placed->breakage.words.front(), {"revert", placed->id});
    if (!reverted && reverted.error().kind != FailureKind::missing && first) first = reverted.error();
  }
  return first;
}

/// The helper must say so of every host, and the members that were hit be back.
Evidence HostFault::verify_reverted() {
  std::vector<std::string> sentences;
  for (const Placed& placed : placed_) {
    const auto state = tools_.helper.check(*placed.host, placed.id);
    if (!state) return {.sentence = state.error().message()};
    if (state->in_force && state->state != "absent" && state->state != "reverted") {
      return {.sentence = told(*placed.host, state->sentence)};
    }
    sentences.push_back(told(*placed.host, state->sentence));
  }
  const Evidence back = watch(tools_, kRejoinPatience, [this](const ClusterSnapshot& now) {
    Evidence all{.took = true, .sentence = {}};
    for (const Victim& victim : victims_) {
      if (victim.member.empty()) continue;
      all = is_back(now, victim.member);
      if (!all.took) return all;
    }
    return all;
  });
  if (!back.took) return back;
  for (const Placed& placed : placed_) {
    const auto forgotten =
        tools_.helper.call(*placed.host, "forget " + placed.breakage.words.front(), {"forget", placed.id});
    if (!forgotten && forgotten.error().kind != FailureKind::missing)
      return {.sentence = forgotten.error().message()};
  }
  sentences.push_back(back.sentence);
  return {.took = true, .sentence = join(sentences, "; ")};
}

std::vector<std::string> HostFault::by_hand() const {
  std::vector<std::string> lines;
  for (auto placed = placed_.rbegin(); placed != placed_.rend(); ++placed) {
    lines.push_back("on " + placed->host->name() + ": " +
                    typed(tools_.helper.command({"revert", placed->id})));
  }
  return lines;
}

}  // namespace pgfiredrill::fault
