#include "fault-injectors/patroni_failover.h"

#include <utility>

#include "cluster/patroni_action.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/change_of_leader.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "patroni-failover";

class Failover final : public Fault {
 public:
  Failover(const FaultSpec& spec, const Tools& tools) : tools_{tools} {
    if (spec.target != kLeader) target_ = spec.target;
  }

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    auto leader = leader_with_candidates(now, kName);
    if (!leader) return leader.error();
    leader_ = std::move(*leader);
    candidate_ = candidates(now).front();
    target_ = leader_.name;
    return {};
  }

  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    return {words_of(fail_over(candidate_), leader_)};
  }

  [[nodiscard]] Result<void> inject() override {
    const auto answer = ask_patroni(tools_.cluster, tools_.http, leader_, fail_over(candidate_),
                                    answer_patience(tools_.cluster));
    if (!answer) return answer.error();
    return {};
  }

  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    return watch(tools_, deadline, [this](const ClusterSnapshot& now) {
      Evidence evidence = has_handed_over(now, leader_);
      if (!evidence.took || now.leader()->name == candidate_) return evidence;
      return Evidence{.sentence = evidence.sentence + ", but " + candidate_ + " was asked for"};
    });
  }

  [[nodiscard]] Result<void> revert() override { return {}; }

  [[nodiscard]] Evidence verify_reverted() override {
    return watch(tools_, kRejoinPatience,
                 [this](const ClusterSnapshot& now) { return is_back(now, target_); });
  }

 private:
  Tools tools_;
  std::string target_;
  std::string candidate_;
  PatroniMember leader_;
};

}  // namespace

/// Patroni stops the old leader in order here too, but takes the candidate without asking whether another is
/// ahead of it or, under synchronous replication, whether it is synchronous: it promises less than a
/// switchover does.
FaultKind patroni_failover() {
  return {.name = kName,
          .proves = "an operator's forced failover to a named member works while the leader is still alive",
          .undone_by = "the old leader follows the new one by itself; the run switches back at its end",
          .targets = {kLeader},
          .on_hosts = false,
          .danger = [](const FaultSpec&) { return Danger::may_failover; },
          .make = [](const FaultSpec& spec, Tools tools) { return std::make_unique<Failover>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
