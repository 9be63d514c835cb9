#include "fault-injectors/patroni_switchover.h"

#include <algorithm>
#include <utility>

#include "cluster/patroni_action.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/change_of_leader.h"
#include "fault-injectors/scheduled_switchover.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

using std::chrono::seconds;

constexpr const char* kName = "patroni-switchover";
constexpr const char* kWhen = "when";
constexpr const char* kScheduled = "scheduled";
constexpr const char* kCandidate = "candidate";
constexpr const char* kFirst = "first";

constexpr std::chrono::milliseconds kRegisterDeadline{5'000};
constexpr seconds kLeastAhead{10};
constexpr seconds kLongestAhead{60};
/// The leader waits for the moment in its last turn before it: until then a schedule can be cancelled.
constexpr seconds kBeyondLoop{5};

seconds ahead(const ClusterDescription& cluster) {
  const seconds loop_wait = cluster.settings.loop_wait.value.value_or(seconds{10});
  return std::clamp(loop_wait + kBeyondLoop, kLeastAhead, kLongestAhead);
}

class Switchover final : public Fault {
 public:
  Switchover(const FaultSpec& spec, const Tools& tools)
      : tools_{tools},
        scheduled_{spec.option(kWhen) == kScheduled},
        names_candidate_{spec.option(kCandidate) == kFirst} {
    if (spec.target != kLeader) target_ = spec.target;
  }

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    auto leader = leader_with_candidates(now, kName);
    if (!leader) return leader.error();
    leader_ = std::move(*leader);
    if (names_candidate_) candidate_ = candidates(now).front();
    target_ = leader_.name;
    return {};
  }

  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    if (!scheduled_) return {words_of(switch_over(leader_.name, candidate_), leader_)};
    const std::string when = "in " + std::to_string(ahead(tools_.cluster).count()) + " s";
    return {"on the leader's host: date -u +%s",
            words_of(switch_over(leader_.name, candidate_, when), leader_),
            words_of(cancel_switchover(), leader_) + " (if it has not come about)"};
  }

  [[nodiscard]] Result<void> inject() override {
    if (scheduled_) return schedule();
    const auto answer =
        request_switchover(tools_.cluster, tools_.http, leader_, candidate_, answer_patience(tools_.cluster));
    if (!answer) return answer.error();
    return {};
  }

  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    Evidence evidence = watch(tools_, deadline, [this](const ClusterSnapshot& now) { return judge(now); });
    if (!due_.empty()) evidence.sentence += " (scheduled for " + due_ + ")";
    return evidence;
  }

  /// Who was made by a debt alone does not know whether there was a schedule, and looks for one.
  [[nodiscard]] Result<void> revert() override {
    const bool by_debt = leader_.name.empty();
    if (!by_debt && !scheduled_) return {};
    return cancel_ours(tools_);
  }

  [[nodiscard]] Evidence verify_reverted() override {
    return watch(tools_, kRejoinPatience,
                 [this](const ClusterSnapshot& now) { return is_back(now, target_); });
  }

  [[nodiscard]] std::vector<std::string> by_hand() const override {
    if (!scheduled_) return {};
    return {"patronictl flush " + tools_.cluster.name + " switchover"};
  }

 private:
  /// Returns when the moment has come: what is accepted and never happens is seen after it.
  Result<void> schedule() {
    const auto host = host_of_leader();
    if (!host) return host.error();
    const auto due = due_in(ahead(tools_.cluster), **host);
    if (!due) return due.error();
    const nanoseconds moment = tools_.clock.monotonic() + ahead(tools_.cluster);
    const auto registered = ask_patroni(tools_.cluster, tools_.http, leader_,
                                        switch_over(leader_.name, candidate_, *due), kRegisterDeadline);
    if (!registered) return registered.error();
    due_ = *due;
    stood_ = tools_.probe.look().switchover_scheduled;
    if (const nanoseconds rest = moment - tools_.clock.monotonic(); rest.count() > 0)
      tools_.clock.sleep_for(rest);
    return {};
  }

  [[nodiscard]] Result<Host*> host_of_leader() const {
    const Member* member = tools_.cluster.find_member(leader_.name);
    if (member != nullptr && !member->host.empty()) return &tools_.hosts(member->host);
    return Failure{.kind = FailureKind::missing,
                   .what = "read the clock of the leader's host",
                   .where = leader_.name,
                   .came_back = "no host of the inventory is this member's",
                   .hint = "The inventory must name every member's host."};
  }

  [[nodiscard]] Evidence judge(const ClusterSnapshot& now) const {
    Evidence evidence = has_handed_over(now, leader_);
    if (!evidence.took) return evidence;
    if (!due_.empty() && !stood_) {
      return {.sentence = "Patroni took the schedule and did not show it before it came about"};
    }
    if (candidate_.empty() || now.leader()->name == candidate_) return evidence;
    return {.sentence = evidence.sentence + ", but " + candidate_ + " was asked for"};
  }

  Tools tools_;
  bool scheduled_;
  bool names_candidate_;
  std::string target_;
  std::string candidate_;  ///< empty: Patroni chooses
  PatroniMember leader_;   ///< without a name: it was not aimed
  std::string due_;        ///< empty: nothing was scheduled
  bool stood_ = false;     ///< the cluster told of the schedule
};

}  // namespace

FaultKind patroni_switchover() {
  return {
      .name = kName,
      .proves = "a planned change of leader loses nothing, and how long clients notice it",
      .undone_by = "the old leader follows the new one by itself; the run switches back at its end",
      .targets = {kLeader},
      .options = {{kWhen, {"now", kScheduled}}, {kCandidate, {"any", kFirst}}},
      .on_hosts = false,
      .danger = [](const FaultSpec&) { return Danger::none; },
      .make = [](const FaultSpec& spec, Tools tools) { return std::make_unique<Switchover>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
