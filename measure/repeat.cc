#include "measure/repeat.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "measure/application_clients.h"
#include "measure/expectations.h"
#include "measure/failovers.h"
#include "measure/loss_details.h"
#include "measure/loss_promise.h"
#include "measure/position_lag.h"
#include "measure/reasons.h"
#include "measure/recovery.h"
#include "measure/repeat_readback.h"
#include "measure/repeat_servers.h"
#include "measure/repeat_traffic.h"
#include "measure/setting_findings.h"
#include "measure/stale_routing.h"

namespace pgfiredrill {

namespace {

constexpr const char* kNoFault = "no fault was injected";

const char* const kPathMetrics[] = {"outage_s", "unavailable_s", "span_s",    "error_s",
                                    "stall_s",  "longest_gap_s", "partial_s", "availability_pct"};

std::string stamp(const std::optional<Event>& event) {
  return event ? rfc3339(event->wall) : "";
}

std::string text(const std::optional<Event>& event, const char* field) {
  return event ? event->text(field).value_or("") : "";
}

std::string describe(const std::vector<NumberRange>& ranges) {
  constexpr std::size_t kShown = 3;
  std::string list;
  for (std::size_t i = 0; i < ranges.size() && i < kShown; ++i) {
    const NumberRange& range = ranges[i];
    list += i == 0 ? "" : ", ";
    list += range.first == range.last ? fmt::format("{}:{}", range.stream, range.first)
                                      : fmt::format("{}:{}-{}", range.stream, range.first, range.last);
  }
  if (ranges.size() > kShown) list += fmt::format(" and {} more ranges", ranges.size() - kShown);
  return list;
}

class RepeatJudge {
 public:
  RepeatJudge(const RunInput& input, const DrillPlan& plan, const RepeatFacts& facts)
      : input_{input}, plan_{plan}, facts_{facts}, traffic_{read_traffic(input, facts)} {}

  JudgedRepeat judge() && {
    judged_.ran_to_its_end = facts_.outcome == "done";
    judged_.damage = traffic_.damage;
    result().repeat = facts_.repeat;
    fill_fault();
    fill_paths();
    put_views(traffic_.views, result());
    fill_failovers();
    fill_durability();
    fill_recovery();
    fill_servers();
    fill_heartbeat_lag();
    fill_clients();
    judge_end();
    if (!was_left_out()) judge_trust();
    fill_expectations();
    add_findings(find_stale_routing(label(), traffic_.times, traffic_.paths));
    if (facts_.fault_confirmed) add_findings(find_costly_settings(label(), plan_, result()));
    result().verdict = reasons_.verdict();
    result().reasons = reasons_.sentences();
    return std::move(judged_);
  }

 private:
  RepeatResult& result() { return judged_.result; }

  std::string label() const { return fmt::format("{}, repeat {}", plan_.name, facts_.repeat + 1); }

  void add_findings(const std::vector<Finding>& findings) {
    judged_.findings.insert(judged_.findings.end(), findings.begin(), findings.end());
  }

  void missing(std::string pointer, std::string reason) {
    result().not_measured.push_back({std::move(pointer), std::move(reason)});
  }

  void fill_fault() {
    result().target = text(facts_.fault_sent, "target");
    result().evidence = text(facts_.fault_confirmed, "evidence");
    for (const Event& further : facts_.further_confirmed)
      result().evidence +=
          "; then " + further.text("fault").value_or("") + ": " + further.text("evidence").value_or("");
    result().injected_at = stamp(facts_.fault_sent);
    result().reverted_at = stamp(facts_.fault_reverted);
    result().old_leader = facts_.leader_before;
    result().new_leader = facts_.leader_after;
    if (facts_.fault_sent) result().random_delay_s = facts_.fault_sent->number("delay_s");
    if (facts_.revert_verified) result().verified = facts_.revert_verified->flag("verified");
    const RepeatTimes& times = traffic_.times;
    if (times.injected && times.confirmed)
      result().confirmed_s = to_seconds(*times.confirmed - *times.injected);
    explain_fault();
  }

  void explain_fault() {
    if (!facts_.fault_sent) missing("/injected_at", kNoFault);
    if (!result().confirmed_s) {
      missing("/confirmed_s", facts_.fault_sent ? "nothing proved that the fault took" : kNoFault);
    }
    if (!result().random_delay_s) {
      missing("/random_delay_s", facts_.fault_sent ? "no delay was recorded" : kNoFault);
    }
    if (!facts_.fault_reverted) missing("/reverted_at", "nothing was reverted");
    if (!result().verified) missing("/verified", "no revert was verified");
  }

  void fill_paths() {
    for (const MeasuredPath& path : traffic_.paths) {
      if (!path.unmeasured.empty()) {
        for (const char* metric : kPathMetrics) {
          missing(fmt::format("/paths/{}/{}", result().paths.size(), metric), path.unmeasured);
        }
      }
      result().paths.push_back(path.result);
    }
  }

  void fill_failovers() {
    if (!traffic_.times.injected) return missing("/failovers", kNoFault);
    const FailoverCount count =
        count_failovers(facts_.direct_answers, facts_.history, *traffic_.times.injected);
    result().failovers = count.failovers;
    if (!count.failovers) missing("/failovers", count.why_not);
  }

  bool has_ledger() const {
    return std::any_of(input_.manifest.paths.begin(), input_.manifest.paths.end(),
                       [](const TrafficPath& path) { return path.purpose == Purpose::ledger; });
  }

  void fill_durability() {
    if (!has_ledger()) return missing("/durability", "the run wrote no ledger");
    DurabilityInput input{.outcomes = traffic_.ledger, .leader = facts_.leader_after};
    input.readbacks = readbacks_of(input_, facts_);
    input.history = facts_.history;
    if (facts_.readbacks.empty()) input.nothing_read = "the ledger was not read back in this repeat";
    JudgedDurability judged = judge_durability(input);
    why_no_leader_ = judged.why_no_leader;
    result().durability = std::move(judged.durability);
    tell_more_of_losses(result().durability->lost_ranges);
    for (std::size_t i = 0; i < result().durability->lost_ranges.size(); ++i) {
      if (result().durability->lost_ranges[i].wal_bytes) continue;
      missing(fmt::format("/durability/lost_ranges/{}/wal_bytes", i),
              "no two of the lost writes told a position");
    }
    if (!judged.why_no_leader.empty()) {
      for (const char* field : {"lost", "weak_lost", "unexpected", "duplicated", "in_doubt_present"}) {
        missing(fmt::format("/durability/{}", field), judged.why_no_leader);
      }
    }
    if (!judged.why_no_rpo.empty()) missing("/durability/rpo_bytes", judged.why_no_rpo);
  }

  void tell_more_of_losses(std::vector<NumberRange>& ranges) const {
    if (ranges.empty()) return;
    LossDetails details{ranges, input_.events};
    const auto look = [&](const Operation& operation) {
      const std::vector<TrafficPath>& paths = input_.manifest.paths;
      const bool known = operation.path < paths.size();
      if (known && paths[operation.path].purpose == Purpose::ledger) details.on(operation);
    };
    // What cannot be read was told by the pass that folds.
    (void)input_.operations(facts_.from, facts_.to, look);
    ranges = details.finish();
  }

  std::vector<DownSpan> down_spans() const {
    std::vector<DownSpan> spans;
    for (const MeasuredPath& path : traffic_.paths) {
      if (!path.result.path.needed_for_steady_state) continue;
      for (const OutageWindow& window : path.windows) {
        spans.push_back({path.result.path.id, window.start, window.end, window.censored});
      }
    }
    return spans;
  }

  void fill_recovery() {
    const RepeatTimes& times = traffic_.times;
    if (!times.injected) return missing("/recovery/full_health_s", kNoFault);
    recovery_ = find_recovery(facts_.health, down_spans(), times.confirmed.value_or(*times.injected));
    if (recovery_.healthy_at) {
      result().full_health_s = to_seconds(*recovery_.healthy_at - *times.injected);
    } else {
      missing("/recovery/full_health_s", recovery_.why_not);
    }
  }

  void fill_servers() {
    fill_position_lag();
    JudgedSplitBrain judged = judge_split_brain(label(), input_.manifest, facts_, traffic_);
    result().split_brain = std::move(judged.result);
    split_brain_failure_ = std::move(judged.failure);
    add_findings(judged.findings);
    if (!result().split_brain) return missing("/split_brain", judged.why_not);
    if (!result().split_brain->overlap_s)
      missing("/split_brain/overlap_s", "fewer than two servers were asked directly");
  }

  void fill_heartbeat_lag() {
    if (!result().replica_lag) result().replica_lag.emplace();
    if (!traffic_.times.injected) return missing("/replica_lag/max_s", kNoFault);
    HeartbeatLag::Result& measured = traffic_.heartbeat_lag;
    result().replica_lag->max_s = measured.max_s;
    result().replica_lag->paths = std::move(measured.paths);
    if (!measured.max_s) missing("/replica_lag/max_s", measured.why_not);
  }

  /// The start time, as events write it, of whoever acknowledged the last write.
  std::string last_writer() const {
    const auto number = static_cast<std::int64_t>(traffic_.write_servers.last());
    for (const Event& event : input_.events) {
      if (event.kind != event::kServerSeen || event.integer("node") != number) continue;
      return event.text("postmaster_start").value_or("");
    }
    return {};
  }

  void fill_clients() {
    if (!traffic_.times.injected) return;
    result().clients = judge_clients({.events = facts_.clients,
                                      .injected = *traffic_.times.injected,
                                      .new_leader_at = traffic_.write_servers.new_one_up_at(),
                                      .last_writer = last_writer()});
    add_findings(find_client_trouble(label(), result().clients));
  }

  void fill_position_lag() {
    std::vector<std::string> members;
    for (const ClusterSummary::Member& member : input_.manifest.cluster.members)
      members.push_back(member.name);
    if (!result().replica_lag) result().replica_lag.emplace();
    ReplicaLag& lag = *result().replica_lag;
    if (!traffic_.times.injected) return missing("/replica_lag/max_bytes", kNoFault);
    PositionLag measured =
        measure_position_lag(facts_.direct_answers, members, *traffic_.times.injected, traffic_.times.to);
    lag.max_bytes = measured.max_bytes;
    lag.nodes = std::move(measured.nodes);
    if (!lag.max_bytes) missing("/replica_lag/max_bytes", measured.why_not);
  }

  /// Nothing was broken.
  [[nodiscard]] bool was_left_out() const {
    return facts_.outcome == "refused" || facts_.outcome == "skipped";
  }

  /// How the acting side says that it ended.
  void judge_end() {
    const std::string why = facts_.outcome_reason.empty() ? "" : ": " + facts_.outcome_reason;
    if (!facts_.outcome) {
      reasons_.add(Verdict::inconclusive, where_it_stopped());
    } else if (*facts_.outcome == "refused") {
      distrust_ = "the drill was refused";
      reasons_.add(Verdict::refused, "preflight refused" + why);
    } else if (*facts_.outcome == "skipped") {
      distrust_ = "the drill was skipped";
      reasons_.add(Verdict::skipped, "skipped" + why);
    } else if (*facts_.outcome == "aborted") {
      reasons_.add(Verdict::aborted, "aborted" + why);
    } else if (*facts_.outcome == "revert_incomplete") {
      reasons_.add(Verdict::aborted, "what was broken may still be broken" + why);
    } else if (*facts_.outcome == "not_taken") {
      judge_not_taken(facts_.outcome_reason);
    } else if (*facts_.outcome == "done") {
      judge_done();
    } else {
      reasons_.add(Verdict::inconclusive, "the record tells an end that is not known: " + *facts_.outcome);
    }
    if (facts_.not_taken && facts_.outcome != "not_taken") judge_not_taken(*facts_.not_taken);
  }

  std::string where_it_stopped() const {
    const std::string stage =
        facts_.stage.empty() ? "before its first stage" : "while in stage " + facts_.stage;
    return input_.ended ? fmt::format("the record does not tell how the repeat ended; it stops {}", stage)
                        : fmt::format("the program was killed {}", stage);
  }

  void judge_not_taken(const std::string& why) {
    distrust_ = why.empty() ? "the fault did not take" : why;
    reasons_.add(Verdict::inconclusive, distrust_);
  }

  void judge_done() {
    if (!facts_.fault_sent) {
      reasons_.add(Verdict::inconclusive, kNoFault);
    } else if (!facts_.fault_confirmed && !facts_.not_taken) {
      reasons_.add(Verdict::inconclusive, "nothing proved that the fault took");
    }
    if (recovery_.unhealthy_until && !recovery_.healthy_at) {
      reasons_.add(Verdict::inconclusive, "full health was not reached: " + recovery_.why_not);
    }
    const auto& durability = result().durability;
    if (durability && durability->attempted > 0 && !durability->lost) {
      reasons_.add(Verdict::inconclusive, "whether writes were lost is not known: " + why_no_leader_);
    }
  }

  /// What speaks against the numbers, and losses, whatever the drill expects.
  void judge_trust() {
    judge_record();
    judge_paths();
    if (facts_.suspended_s > 0) {
      distrust_ = "this machine slept during the repeat";
      reasons_.add(Verdict::inconclusive, fmt::format("{} ({:.1f} s)", distrust_, facts_.suspended_s));
    }
    if (result().durability) judge_losses(*result().durability);
    if (!split_brain_failure_.empty()) reasons_.add(Verdict::failed, split_brain_failure_);
  }

  void judge_record() {
    if (!traffic_.unreadable.empty()) reasons_.add(Verdict::inconclusive, traffic_.unreadable);
    if (traffic_.strays > 0) {
      reasons_.add(Verdict::inconclusive,
                   fmt::format("{} operations of the record belong to no path of the manifest or to no time",
                               traffic_.strays));
    }
  }

  void judge_paths() {
    std::vector<std::string> distrusted, unsteady;
    for (const MeasuredPath& path : traffic_.paths) {
      const std::string& id = path.result.path.id;
      const Instrument& instrument = path.result.instrument;
      const bool ran = facts_.traffic_started.has_value();
      if (ran && !instrument.valid) distrusted.push_back(fmt::format("{}: {}", id, instrument.why));
      if (path.result.path.needed_for_steady_state && !path.unsteady.empty()) {
        unsteady.push_back(fmt::format("{}: {}", id, path.unsteady));
      }
    }
    add_first_of("numbers cannot be trusted", distrusted);
    add_first_of("not steady before the fault", unsteady);
  }

  void add_first_of(const char* what, const std::vector<std::string>& list) {
    if (list.empty()) return;
    const std::string more =
        list.size() > 1 ? fmt::format(" (and {} more paths)", list.size() - 1) : std::string{};
    reasons_.add(Verdict::inconclusive, fmt::format("{}: {}{}", what, list.front(), more));
  }

  LossPromise loss_promise() const {
    return promise_of_losses(plan_.budget, input_.manifest.cluster.settings, facts_.direct_answers,
                             traffic_.times);
  }

  void judge_losses(const Durability& durability) {
    if (durability.lost.value_or(0) > 0) {
      const std::string lost = fmt::format("{} of {} acknowledged writes are lost: {}", *durability.lost,
                                           durability.acknowledged, describe(durability.lost_ranges));
      const JudgedLoss judged = judge_loss(loss_promise(), durability, label());
      if (judged.verdict != Verdict::passed) reasons_.add(judged.verdict, lost + judged.remark);
      add_findings(judged.findings);
    }
    if (durability.duplicated.value_or(0) > 0) {
      reasons_.add(Verdict::failed, fmt::format("{} writes are there more than once, and none was sent twice",
                                                *durability.duplicated));
    }
    if (durability.unexpected.value_or(0) > 0) {
      reasons_.add(
          Verdict::inconclusive,
          fmt::format("{} writes that had certainly failed are there: this program took them for what "
                      "they were not",
                      *durability.unexpected));
    }
  }

  std::optional<double> full_health_at_least() const {
    if (!traffic_.times.injected || !recovery_.unhealthy_until) return std::nullopt;
    return to_seconds(*recovery_.unhealthy_until - *traffic_.times.injected);
  }

  void fill_expectations() {
    const ExpectationInput input{.repeat = result(),
                                 .paths = traffic_.paths,
                                 .full_health_at_least_s = full_health_at_least(),
                                 .distrust = distrust_};
    std::vector<JudgedExpectation> all;
    for (const Expectation& expectation : plan_.expectations) {
      all.push_back(is_promise_of_bytes(expectation)
                        ? judge_promised_bytes(expectation, loss_promise(), input)
                        : judge_expectation(expectation, input));
    }
    for (JudgedExpectation& judged : all) {
      if (!judged.result.measured && !judged.result.passed) {
        missing(fmt::format("/expectations/{}/measured", result().expectations.size()), judged.result.why);
      }
      if (judged.verdict != Verdict::passed && !was_left_out()) {
        reasons_.add(judged.verdict, judged.reason);
      }
      result().expectations.push_back(std::move(judged.result));
    }
  }

  const RunInput& input_;
  const DrillPlan& plan_;
  const RepeatFacts& facts_;
  RepeatTraffic traffic_;
  Recovery recovery_;
  std::string why_no_leader_;
  std::string distrust_;
  std::string split_brain_failure_;
  Reasons reasons_;
  JudgedRepeat judged_;
};

}  // namespace

JudgedRepeat judge_repeat(const RunInput& input, const DrillPlan& plan, const RepeatFacts& facts) {
  return RepeatJudge{input, plan, facts}.judge();
}

}  // namespace pgfiredrill
