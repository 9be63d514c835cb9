#include "fault-injectors/patroni_reinitialize.h"

#include <utility>

#include "cluster/patroni_action.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/member_aim.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "patroni-reinitialize";
constexpr std::chrono::seconds kAnswerDeadline{20};
/// Of a rebuild: whoever waits for it asks again and again, for as long as the drill gives it.
constexpr std::chrono::seconds kRebuildPatience{120};
/// Patroni's word for a member whose data directory is being made anew.
constexpr const char* kCreating = "creating replica";

class Reinitialize final : public Fault {
 public:
  Reinitialize(const FaultSpec& spec, const Tools& tools) : tools_{tools}, target_{spec.target} {}

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    auto member = aim_at_member(target_, now, tools_);
    if (!member) return member.error();
    if (is_leader_role(member->role))
      return refuse(member->name, "it leads: there is nobody to rebuild it from");
    if (now.leader() == nullptr) return refuse(member->name, "nobody leads, whom it could be rebuilt from");
    member_ = std::move(*member);
    target_ = member_.name;
    started_ = postmaster_start(now, target_);
    return {};
  }

  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    return {words_of(reinitialize_member(member_.name), member_)};
  }

  [[nodiscard]] Result<void> inject() override {
    const auto answer =
        ask_patroni(tools_.cluster, tools_.http, member_, reinitialize_member(member_.name), kAnswerDeadline);
    if (!answer) return answer.error();
    return {};
  }

  /// By the member's own word: what it has published in the consensus store is as old as its last turn, and a
  /// small database is rebuilt within one.
  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    const nanoseconds end = tools_.clock.monotonic() + deadline;
    while (true) {
      const nanoseconds next = tools_.clock.monotonic() + kBetweenLooks;
      Evidence evidence = look_at_member();
      if (evidence.took || next >= end) return evidence;
      if (const nanoseconds rest = next - tools_.clock.monotonic(); rest.count() > 0)
        tools_.clock.sleep_for(rest);
    }
  }

  [[nodiscard]] Result<void> revert() override { return {}; }

  [[nodiscard]] Evidence verify_reverted() override {
    return watch(tools_, kRebuildPatience, [this](const ClusterSnapshot& now) {
      Evidence back = is_back(now, target_);
      if (!back.took || started_.empty() || postmaster_start(now, target_) != started_) return back;
      return Evidence{.sentence = back.sentence + ", but by the postmaster from before"};
    });
  }

  [[nodiscard]] std::vector<std::string> by_hand() const override {
    return {"patronictl reinit " + tools_.cluster.name + " " + target_};
  }

 private:
  static Failure refuse(const std::string& member, const std::string& why) {
    return {.kind = FailureKind::missing,
            .what = std::string{"choose a target for "} + kName,
            .where = member,
            .came_back = why,
            .hint = "Only a replica can be rebuilt, and only from a leader."};
  }

  [[nodiscard]] Evidence look_at_member() const {
    const auto address = parse_http_address(member_.api_url, kPatroniPort);
    if (!address) return {.sentence = address.error().message()};
    const PatroniRest rest{
        tools_.http, *address, {.ca_pem = tools_.cluster.access.rest_ca_pem}, member_.name};
    const auto node = rest.node();
    if (!node) return {.sentence = node.error().message()};
    return {.took = node->state == kCreating, .sentence = member_.name + " says that it is " + node->state};
  }

  Tools tools_;
  std::string target_;
  PatroniMember member_;
  std::string started_;  ///< empty: it did not answer, or it was not aimed at
};

}  // namespace

FaultKind patroni_reinitialize() {
  return {
      .name = kName,
      .proves = "a broken replica can be rebuilt from the cluster or its backups while clients work",
      .undone_by = "Patroni rebuilds the replica and lets it follow again",
      .targets = {kReplica},
      .names = true,
      .on_hosts = false,
      .danger = [](const FaultSpec&) { return Danger::none; },
      .make = [](const FaultSpec& spec, Tools tools) { return std::make_unique<Reinitialize>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
