#include "fault-injectors/change_of_leader.h"

#include <algorithm>

#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr std::chrono::seconds kAnswerGrace{10};
constexpr std::chrono::seconds kLongestLoopWait{300};

bool may_lead(const PatroniMember& member) {
  const auto nofailover = member.tags.find("nofailover");
  const bool excluded = nofailover != member.tags.end() && nofailover->second != "false";
  return !is_leader_role(member.role) && !excluded &&
         (member.state == "streaming" || member.state == "running");
}

}  // namespace

std::vector<std::string> candidates(const ClusterSnapshot& now) {
  std::vector<std::string> synchronous;
  std::vector<std::string> others;
  for (const PatroniMember& member : now.members) {
    if (!may_lead(member)) continue;
    (is_synchronous_role(member.role) ? synchronous : others).push_back(member.name);
  }
  synchronous.insert(synchronous.end(), others.begin(), others.end());
  return synchronous;
}

Result<PatroniMember> leader_with_candidates(const ClusterSnapshot& now, const std::string& fault) {
  const auto leader = aim_at_leader(now, fault);
  if (!leader) return leader.error();
  if (candidates(now).empty()) {
    return Failure{.kind = FailureKind::missing,
                   .what = "choose a target for " + fault,
                   .where = (*leader)->name,
                   .came_back = "no other member could lead",
                   .hint = "A replica that streams and has no tag nofailover is needed."};
  }
  return **leader;
}

std::chrono::milliseconds answer_patience(const ClusterDescription& cluster) {
  const auto loop_wait = cluster.settings.loop_wait.value.value_or(std::chrono::seconds{10});
  return 2 * std::clamp(loop_wait, std::chrono::seconds{10}, kLongestLoopWait) + kAnswerGrace;
}

Evidence has_handed_over(const ClusterSnapshot& now, const PatroniMember& old) {
  const PatroniMember* leader = now.leader();
  if (leader == nullptr) return {.sentence = "there is not exactly one leader"};
  const std::string words = leader->name + " is " + told(*leader);
  if (leader->name == old.name) return {.sentence = words + " as before"};
  if (!leader->timeline || leader->timeline <= old.timeline) {
    return {.sentence = words + ", no later than the old leader's"};
  }
  const auto server = now.servers.find(leader->name);
  if (server == now.servers.end() || !server->second.answered) {
    return {.sentence = words + ", but its PostgreSQL does not answer"};
  }
  if (server->second.in_recovery) return {.sentence = words + ", but its PostgreSQL is still in recovery"};
  return {.took = true, .sentence = words + " after " + old.name + ", and takes writes"};
}

}  // namespace pgfiredrill::fault
