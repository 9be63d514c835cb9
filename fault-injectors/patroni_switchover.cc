#include "fault-injectors/patroni_switchover.h"

#include <algorithm>
#include <utility>

#include "cluster/json_quote.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "patroni-switchover";
constexpr std::chrono::seconds kAnswerGrace{10};
constexpr std::chrono::seconds kLongestLoopWait{300};

bool may_lead(const PatroniMember& member) {
  const auto nofailover = member.tags.find("nofailover");
  const bool excluded = nofailover != member.tags.end() && nofailover->second != "false";
  return !is_leader_role(member.role) && !excluded &&
         (member.state == "streaming" || member.state == "running");
}

/// Patroni waits twice loop_wait, and that at least ten seconds, before it gives up.
std::chrono::milliseconds patience(const ClusterDescription& cluster) {
  const auto loop_wait = cluster.settings.loop_wait.value.value_or(std::chrono::seconds{10});
  return 2 * std::clamp(loop_wait, std::chrono::seconds{10}, kLongestLoopWait) + kAnswerGrace;
}

class Switchover final : public Fault {
 public:
  Switchover(const FaultSpec& spec, const Tools& tools) : tools_{tools} {
    if (spec.target != "leader") target_ = spec.target;
  }

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    const auto leader = aim_at_leader(now, kName);
    if (!leader) return leader.error();
    if (std::none_of(now.members.begin(), now.members.end(), may_lead)) {
      return Failure{.kind = FailureKind::missing,
                     .what = std::string{"choose a target for "} + kName,
                     .where = (*leader)->name,
                     .came_back = "no other member could lead",
                     .hint = "A replica that streams and has no tag nofailover is needed."};
    }
    leader_ = **leader;
    target_ = leader_.name;
    return {};
  }

  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    const auto address = parse_http_address(leader_.api_url, kPatroniPort);
    return {"POST " + (address ? address->url() : leader_.api_url) + R"(/switchover {"leader":)" +
            json_quote(leader_.name) + "}"};
  }

  [[nodiscard]] Result<void> inject() override {
    const auto answer =
        request_switchover(tools_.cluster, tools_.http, leader_, "", patience(tools_.cluster));
    if (!answer) return answer.error();
    return {};
  }

  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    return watch(tools_, deadline, [this](const ClusterSnapshot& now) { return judge(now); });
  }

  [[nodiscard]] Result<void> revert() override { return {}; }

  [[nodiscard]] Evidence verify_reverted() override {
    return watch(tools_, kRejoinPatience,
                 [this](const ClusterSnapshot& now) { return is_back(now, target_); });
  }

 private:
  Evidence judge(const ClusterSnapshot& now) const {
    const PatroniMember* leader = now.leader();
    if (leader == nullptr) return {.sentence = "there is not exactly one leader"};
    const std::string words = leader->name + " is " + told(*leader);
    if (leader->name == leader_.name) return {.sentence = words + " as before"};
    if (!leader->timeline || leader->timeline <= leader_.timeline) {
      return {.sentence = words + ", no later than the old leader's"};
    }
    const auto server = now.servers.find(leader->name);
    if (server == now.servers.end() || !server->second.answered) {
      return {.sentence = words + ", but its PostgreSQL does not answer"};
    }
    if (server->second.in_recovery) return {.sentence = words + ", but its PostgreSQL is still in recovery"};
    return {.took = true, .sentence = words + " after " + leader_.name + ", and takes writes"};
  }

  Tools tools_;
  std::string target_;
  PatroniMember leader_;
};

}  // namespace

FaultKind patroni_switchover() {
  return {
      .name = kName,
      .proves = "a planned change of leader loses nothing, and how long clients notice it",
      .undone_by = "the old leader follows the new one by itself; the run switches back at its end",
      .targets = {"leader"},
      .on_hosts = false,
      .danger = [](const FaultSpec&) { return Danger::none; },
      .make = [](const FaultSpec& spec, Tools tools) { return std::make_unique<Switchover>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
