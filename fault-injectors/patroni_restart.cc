#include "fault-injectors/patroni_restart.h"

#include <utility>

#include "cluster/patroni_action.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/member_aim.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "patroni-restart";
/// Patroni itself waits for primary_start_timeout, minutes; by then the watching has told what there is.
constexpr std::chrono::seconds kAnswerDeadline{60};

class Restart final : public Fault {
 public:
  Restart(const FaultSpec& spec, const Tools& tools) : tools_{tools}, target_{spec.target} {}

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    auto member = aim_at_member(target_, now, tools_);
    if (!member) return member.error();
    started_ = postmaster_start(now, member->name);
    if (started_.empty()) {
      return Failure{.kind = FailureKind::missing,
                     .what = std::string{"choose a target for "} + kName,
                     .where = member->name,
                     .came_back = "its PostgreSQL does not answer, so that a restart could not be told",
                     .hint = "It must run, and the superuser must be able to log in to it."};
    }
    member_ = std::move(*member);
    target_ = member_.name;
    return {};
  }

  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    return {words_of(restart_member(member_.name), member_)};
  }

  [[nodiscard]] Result<void> inject() override {
    const auto answer =
        ask_patroni(tools_.cluster, tools_.http, member_, restart_member(member_.name), kAnswerDeadline);
    if (!answer) return answer.error();
    return {};
  }

  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    return watch(tools_, deadline, [this](const ClusterSnapshot& now) {
      const std::string started = postmaster_start(now, member_.name);
      if (started.empty()) return Evidence{.sentence = member_.name + ": PostgreSQL does not answer"};
      if (started == started_) return Evidence{.sentence = member_.name + ": the same postmaster as before"};
      return Evidence{.took = true, .sentence = member_.name + ": a new postmaster answers"};
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
  PatroniMember member_;
  std::string started_;
};

}  // namespace

/// PostgreSQL is stopped in order and sends its replicas everything before it ends: nothing acknowledged can
/// be lost, even if it should not come back within primary_start_timeout and Patroni fails over.
FaultKind patroni_restart() {
  return {.name = kName,
          .proves = "a restart in place, as a change of settings needs it, ends without a failover",
          .undone_by = "Patroni starts PostgreSQL again as part of it",
          .targets = {kLeader, kReplica},
          .names = true,
          .on_hosts = false,
          .danger = [](const FaultSpec&) { return Danger::none; },
          .make = [](const FaultSpec& spec, Tools tools) { return std::make_unique<Restart>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
