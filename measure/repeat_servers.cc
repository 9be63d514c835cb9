#include "measure/repeat_servers.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/clock.h"
#include "measure/split_brain.h"

namespace pgfiredrill {

namespace {

constexpr const char* kRemedy =
    "let an old leader that lost the leader key be stopped in time, whatever hangs on it: a watchdog with "
    "Patroni's watchdog.mode required, and clients that come in only where roles are checked";

class SplitBrainJudge {
 public:
  SplitBrainJudge(const std::string& label, const RunManifest& manifest, const RepeatFacts& facts,
                  const RepeatTraffic& traffic)
      : label_{label}, manifest_{manifest}, facts_{facts}, traffic_{traffic} {}

  JudgedSplitBrain judge() && {
    if (!traffic_.stale_writes.saw_writes() && facts_.direct_answers.empty()) {
      judged_.why_not = "no write was acknowledged and no server was asked directly";
      return std::move(judged_);
    }
    judged_.result.emplace();
    judge_writes();
    judge_servers();
    return std::move(judged_);
  }

 private:
  double seconds(nanoseconds at) const { return to_seconds(at - traffic_.times.origin()); }

  std::string describe(const TimedWrite& write) const {
    return fmt::format("write {} over {} on timeline {}", write.number, manifest_.paths[write.path].id,
                       write.timeline);
  }

  void judge_writes() {
    const auto proof = traffic_.stale_writes.finish();
    if (!proof) return;
    SplitBrain& split = *judged_.result;
    split.proven = true;
    split.through_entry_point = proof->through_entry_point;
    split.evidence.push_back(
        fmt::format("{} was sent {:.3f} s after the injection and acknowledged, {:.3f} s after {} had been",
                    describe(proof->stale), seconds(proof->stale.sent), to_seconds(proof->late_by()),
                    describe(proof->newer)));
    if (proof->through_entry_point) {
      judged_.failure = "two servers took writes at once: " + split.evidence.back();
    }
    add_finding("split-brain.proven", proof->through_entry_point ? Severity::fail : Severity::warn,
                manifest_.paths[proof->stale.path].entrypoint,
                "a server acknowledged writes after the next leader had: they are lost when it follows",
                split.evidence.back());
  }

  void judge_servers() {
    SplitBrain& split = *judged_.result;
    std::set<std::string> answered;
    for (const DirectAnswer& answer : facts_.direct_answers) answered.insert(answer.member);
    if (answered.size() > 1) split.overlap_s = 0;
    for (const OpenTogether& both : open_together(facts_.direct_answers)) {
      split.possible = true;
      split.overlap_s = std::max(split.overlap_s.value_or(0), to_seconds(both.length()));
      split.evidence.push_back(fmt::format(
          "{} and {} both said that they are not in recovery, at least from {:.3f} s to {:.3f} s after the "
          "injection",
          both.one, both.other, seconds(both.from), seconds(both.to)));
      add_finding("split-brain.possible", Severity::warn, both.one + ", " + both.other,
                  "two servers were out of recovery at once: whoever reached the old one could write to it",
                  split.evidence.back());
    }
  }

  void add_finding(const char* id, Severity severity, const std::string& where, const char* sentence,
                   const std::string& evidence) {
    judged_.findings.push_back({.id = id,
                                .severity = severity,
                                .where = where,
                                .sentence = sentence,
                                .evidence = {label_ + ": " + evidence},
                                .remedy = kRemedy});
  }

  const std::string& label_;
  const RunManifest& manifest_;
  const RepeatFacts& facts_;
  const RepeatTraffic& traffic_;
  JudgedSplitBrain judged_;
};

}  // namespace

JudgedSplitBrain judge_split_brain(const std::string& label, const RunManifest& manifest,
                                   const RepeatFacts& facts, const RepeatTraffic& traffic) {
  return SplitBrainJudge{label, manifest, facts, traffic}.judge();
}

}  // namespace pgfiredrill
