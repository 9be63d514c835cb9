#include "measure/repeat_facts.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/lsn.h"
#include "measure/plausible_instant.h"

namespace pgfiredrill {

namespace {

using Handler = void (*)(RepeatFacts&, const Event&);

std::optional<std::size_t> index(const Event& event, const char* field) {
  const auto value = event.integer(field);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::size_t>(*value);
}

/// Events that name a repeat belong to that one only.
bool is_about(const RepeatFacts& facts, const Event& event) {
  return index(event, "drill").value_or(facts.drill) == facts.drill &&
         index(event, "repeat").value_or(facts.repeat) == facts.repeat;
}

/// The baseline begins when every thread drives its paths and the warm-up is over.
void begin_baseline(RepeatFacts& facts, nanoseconds at) {
  facts.baseline_started = std::max(facts.baseline_started.value_or(at), at);
}

void on_stage(RepeatFacts& facts, const Event& event) {
  facts.stage = event.text("stage").value_or("");
  if (facts.stage == "baseline") begin_baseline(facts, event.at);
}

void on_traffic_started(RepeatFacts& facts, const Event& event) {
  facts.traffic_started = std::min(facts.traffic_started.value_or(event.at), event.at);
  begin_baseline(facts, event.at);
}

/// The first thread that stops ends observation: from there on not every path is driven any more.
void on_traffic_stopped(RepeatFacts& facts, const Event& event) {
  facts.traffic_stopped = std::min(facts.traffic_stopped.value_or(event.at), event.at);
}

void on_fault_sent(RepeatFacts& facts, const Event& event) {
  if (facts.fault_sent) return;
  facts.fault_sent = event;
  facts.leader_before = facts.leader_after;
}

void on_fault_confirmed(RepeatFacts& facts, const Event& event) {
  if (!facts.fault_confirmed) facts.fault_confirmed = event;
}

void on_further_fault_confirmed(RepeatFacts& facts, const Event& event) {
  facts.further_confirmed.push_back(event);
}

void on_fault_not_taken(RepeatFacts& facts, const Event& event) {
  facts.not_taken = event.text("reason").value_or("");
}

void on_fault_reverted(RepeatFacts& facts, const Event& event) {
  facts.fault_reverted = event;
}

void on_revert_verified(RepeatFacts& facts, const Event& event) {
  facts.revert_verified = event;
}

void on_topology(RepeatFacts& facts, const Event& event) {
  facts.leader_after = event.text("leader").value_or("");
}

void on_health(RepeatFacts& facts, const Event& event) {
  facts.health.push_back({event.at, event.flag("healthy").value_or(false), event.text("gaps").value_or("")});
}

void on_server_state(RepeatFacts& facts, const Event& event) {
  if (const auto answer = direct_answer(event)) facts.direct_answers.push_back(*answer);
}

void on_fence(RepeatFacts& facts, const Event& event) {
  facts.fence = event;
}

void on_readback(RepeatFacts& facts, const Event& event) {
  facts.readbacks[event.text("member").value_or("")] = event;
}

void on_timeline_history(RepeatFacts& facts, const Event& event) {
  const auto timeline = event.integer("timeline");
  const auto lsn = parse_lsn(event.text("lsn").value_or(""));
  if (!timeline || *timeline <= 0 || *timeline > std::numeric_limits<std::uint32_t>::max() || !lsn) return;
  facts.history.push_back({static_cast<std::uint32_t>(*timeline), *lsn});
}

void on_client(RepeatFacts& facts, const Event& event) {
  facts.clients.push_back(event);
}

void on_suspended(RepeatFacts& facts, const Event& event) {
  facts.suspended_s += event.number("suspended_s").value_or(0);
}

void on_repeat_ended(RepeatFacts& facts, const Event& event) {
  facts.outcome = event.text("outcome").value_or("");
  facts.outcome_reason = event.text("reason").value_or("");
}

const std::map<std::string, Handler>& handlers() {
  static const std::map<std::string, Handler> all{
      {event::kStage, on_stage},
      {event::kTrafficStarted, on_traffic_started},
      {event::kTrafficStopped, on_traffic_stopped},
      {event::kFaultSent, on_fault_sent},
      {event::kFaultConfirmed, on_fault_confirmed},
      {event::kFurtherFaultConfirmed, on_further_fault_confirmed},
      {event::kFaultNotTaken, on_fault_not_taken},
      {event::kFaultReverted, on_fault_reverted},
      {event::kRevertVerified, on_revert_verified},
      {event::kTopology, on_topology},
      {event::kHealth, on_health},
      {event::kServerState, on_server_state},
      {event::kFence, on_fence},
      {event::kReadback, on_readback},
      {event::kTimelineHistory, on_timeline_history},
      {event::kClientOpened, on_client},
      {event::kClientAnswer, on_client},
      {event::kClientClosed, on_client},
      {event::kSuspended, on_suspended},
      {event::kRepeatEnded, on_repeat_ended},
  };
  return all;
}

class Collector {
 public:
  void on(const Event& event) {
    if (!plausible_instant(event.at)) return;
    if (event.kind == event::kRepeatStarted) {
      begin(event);
    } else if (is_open()) {
      hand_over(repeats_.back(), event);
    } else if (event.kind == event::kTopology) {
      leader_ = event.text("leader").value_or("");
    } else if (event.kind == event::kSuspended) {
      suspended_s_ += event.number("suspended_s").value_or(0);
    }
  }

  std::vector<RepeatFacts> finish(const std::vector<LoopStall>& stalls,
                                  const std::vector<LoopLoad>& loads) && {
    for (RepeatFacts& facts : repeats_) {
      facts.stalls = stalls;
      facts.loads = loads;
      facts.suspended_s += suspended_s_;
    }
    return std::move(repeats_);
  }

 private:
  bool is_open() const { return !repeats_.empty() && !repeats_.back().outcome; }

  void begin(const Event& event) {
    const auto drill = index(event, "drill");
    const auto repeat = index(event, "repeat");
    if (!drill || !repeat) return;
    if (is_open()) leader_ = repeats_.back().leader_after;
    if (!repeats_.empty()) repeats_.back().to = event.at;
    repeats_.push_back({.drill = *drill, .repeat = *repeat, .from = event.at});
    repeats_.back().leader_before = repeats_.back().leader_after = leader_;
  }

  void hand_over(RepeatFacts& facts, const Event& event) {
    const auto handler = handlers().find(event.kind);
    if (handler == handlers().end() || !is_about(facts, event)) return;
    handler->second(facts, event);
    if (facts.outcome) leader_ = facts.leader_after;
  }

  std::vector<RepeatFacts> repeats_;
  std::string leader_;
  double suspended_s_ = 0;  ///< some time during the run: it may have been in any repeat
};

}  // namespace

std::vector<RepeatFacts> repeats_of(const std::vector<Event>& events) {
  Collector collector;
  for (const Event& event : events) collector.on(event);
  return std::move(collector).finish(loop_stalls(events), loop_loads(events));
}

}  // namespace pgfiredrill
