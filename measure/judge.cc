#include "measure/judge.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "measure/clock_offsets.h"
#include "measure/reasons.h"
#include "measure/reconnect.h"
#include "measure/repeat.h"
#include "measure/repeat_facts.h"
#include "measure/stale_routing.h"
#include "measure/summary.h"

namespace pgfiredrill {

namespace {

struct RunEnd {
  std::string outcome;  ///< empty: the record does not say
  std::string reason;
};

const Event* last_of(const std::vector<Event>& events, const char* kind) {
  const auto found =
      std::find_if(events.rbegin(), events.rend(), [&](const Event& event) { return event.kind == kind; });
  return found == events.rend() ? nullptr : &*found;
}

RunEnd end_of(const std::vector<Event>& events) {
  const Event* end = last_of(events, event::kRunEnded);
  if (end == nullptr) return {};
  return {end->text("outcome").value_or(""), end->text("reason").value_or("")};
}

std::string started_at(const RunInput& input) {
  for (const Event& event : input.events) {
    if (event.kind == event::kRunStarted) return rfc3339(event.wall);
  }
  return rfc3339(input.manifest.origin.wall);
}

std::optional<Verdict> parse_verdict(const std::string& name) {
  for (const Verdict verdict : {Verdict::passed, Verdict::skipped, Verdict::refused, Verdict::inconclusive,
                                Verdict::failed, Verdict::aborted}) {
    if (name == to_string(verdict)) return verdict;
  }
  return std::nullopt;
}

std::string with_reason(const std::string& sentence, const std::string& reason) {
  return reason.empty() ? sentence : sentence + ": " + reason;
}

class RunJudge {
 public:
  explicit RunJudge(const RunInput& input)
      : input_{input}, end_{end_of(input.events)}, repeats_{repeats_of(input.events)} {
    result_.manifest = input.manifest;
    result_.started_at = started_at(input);
    result_.ended = input.ended;
  }

  RunResult judge() && {
    for (std::size_t i = 0; i < input_.manifest.drills.size(); ++i) judge_drill(i);
    judge_strays();
    judge_run_end();
    tell_overridden();
    measure_nodes();
    result_.reconnect = find_reconnect_capacity(input_.events);
    result_.findings = merge_findings(findings_);
    result_.verdict = overall();
    result_.reasons = reasons_.sentences();
    return std::move(result_);
  }

 private:
  void judge_drill(std::size_t index) {
    DrillResult drill{.plan = input_.manifest.drills[index]};
    if (drill.plan.measured) return take_over(std::move(drill));
    Reasons reasons;
    std::vector<JudgedRepeat> judged;
    for (const RepeatFacts& facts : repeats_) {
      if (facts.drill == index) judged.push_back(judge_repeat(input_, drill.plan, facts));
    }
    std::vector<const RepeatResult*> whole;
    for (const JudgedRepeat& repeat : judged) {
      add_repeat(reasons, drill.plan, repeat);
      if (repeat.ran_to_its_end) whole.push_back(&repeat.result);
    }
    drill.summary = summarize(whole, input_.manifest.seed);
    judge_missing_repeats(reasons, drill.plan, judged.size());
    for (JudgedRepeat& repeat : judged) drill.repeats.push_back(std::move(repeat.result));
    drill.verdict = reasons.verdict();
    drill.reasons = reasons.sentences();
    for (const std::string& reason : drill.reasons) {
      reasons_.add(drill.verdict, fmt::format("{}: {}", drill.plan.name, reason));
    }
    require(drill);
    result_.drills.push_back(std::move(drill));
  }

  /// Its numbers are in that run's report; here it counts with what they came to.
  void take_over(DrillResult drill) {
    const MeasuredBefore& before = *drill.plan.measured;
    drill.verdict = Verdict::skipped;
    drill.reasons.push_back(fmt::format("measured in {}: {}", before.run, to_string(before.verdict)));
    if (before.verdict != Verdict::passed)
      reasons_.add(before.verdict, fmt::format("{}: {}", drill.plan.name, drill.reasons.front()));
    result_.drills.push_back(std::move(drill));
  }

  /// Where preflight refused the run as a whole nothing was skipped: it is to be begun again.
  void require(const DrillResult& drill) {
    const bool left_out = drill.verdict == Verdict::skipped || drill.verdict == Verdict::refused;
    if (!input_.manifest.needs_every_drill || !left_out || repeats_.empty()) return;
    reasons_.add(Verdict::inconclusive,
                 fmt::format("{} was not measured, and this suite asks for every drill", drill.plan.name));
  }

  /// A run of which something was measured and nothing else is to say passed, whatever did not apply.
  [[nodiscard]] Verdict overall() const {
    const Verdict worst = reasons_.verdict();
    const bool any = std::any_of(result_.drills.begin(), result_.drills.end(), [](const DrillResult& drill) {
      return drill.verdict == Verdict::passed || drill.plan.measured;
    });
    return worst == Verdict::skipped && any ? Verdict::passed : worst;
  }

  void tell_overridden() {
    for (const Event& event : input_.events) {
      if (event.kind != event::kOverridden) continue;
      findings_.push_back({.id = "preflight." + event.text("name").value_or("unknown"),
                           .severity = Severity::note,
                           .where = {},
                           .sentence = "Let pass on request: " + event.text("text").value_or(""),
                           .evidence = {},
                           .remedy = {}});
    }
  }

  void add_repeat(Reasons& reasons, const DrillPlan& plan, const JudgedRepeat& repeat) {
    const std::string prefix =
        plan.repeats > 1 ? fmt::format("repeat {}: ", repeat.result.repeat + 1) : std::string{};
    for (const std::string& reason : repeat.result.reasons)
      reasons.add(repeat.result.verdict, prefix + reason);
    findings_.insert(findings_.end(), repeat.findings.begin(), repeat.findings.end());
    for (const std::string& damage : repeat.damage) reasons_.add(Verdict::inconclusive, damage);
  }

  void judge_missing_repeats(Reasons& reasons, const DrillPlan& plan, std::size_t begun) {
    const auto planned = static_cast<std::size_t>(std::max(plan.repeats, 1));
    if (begun == 0) {
      const bool refused = end_.outcome == to_string(Verdict::refused);
      reasons.add(refused ? Verdict::refused : Verdict::inconclusive,
                  with_reason("never begun", end_.reason));
    } else if (begun < planned && reasons.verdict() != Verdict::refused &&
               reasons.verdict() != Verdict::skipped) {
      reasons.add(Verdict::inconclusive, fmt::format("{} of {} repeats were begun", begun, planned));
    }
  }

  void measure_nodes() {
    std::vector<std::string> nodes;
    for (const ClusterSummary::Member& member : input_.manifest.cluster.members) nodes.push_back(member.name);
    result_.clocks = measure_clocks(input_.events, nodes);
  }

  void judge_strays() {
    const auto strays = std::count_if(repeats_.begin(), repeats_.end(), [&](const RepeatFacts& facts) {
      return facts.drill >= input_.manifest.drills.size();
    });
    if (strays > 0) {
      reasons_.add(Verdict::inconclusive,
                   fmt::format("{} repeats of the record belong to no drill of the manifest", strays));
    }
  }

  void judge_run_end() {
    if (!input_.ended) {
      reasons_.add(Verdict::inconclusive, "the record does not tell the run's end: the program was killed");
      return;
    }
    const auto acting = parse_verdict(end_.outcome);
    if (acting && *acting != Verdict::passed) reasons_.add(*acting, with_reason(end_.outcome, end_.reason));
  }

  const RunInput& input_;
  RunEnd end_;
  std::vector<RepeatFacts> repeats_;
  std::vector<Finding> findings_;
  Reasons reasons_;
  RunResult result_;
};

}  // namespace

RunInput run_input(const RunReader& reader) {
  return {.manifest = reader.manifest(),
          .events = reader.events(),
          .ended = reader.ended(),
          .operations =
              [&reader](nanoseconds from, nanoseconds to, const std::function<void(const Operation&)>& sink) {
                return reader.operations(from, to, sink);
              },
          .readback = [&reader](const std::string& file) { return reader.readback(file); }};
}

RunResult judge_run(const RunInput& input) {
  return RunJudge{input}.judge();
}

}  // namespace pgfiredrill
