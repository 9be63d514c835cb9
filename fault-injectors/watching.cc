#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {

Evidence watch(const Tools& tools, nanoseconds patience,
               const std::function<Evidence(const ClusterSnapshot&)>& judge) {
  const nanoseconds deadline = tools.clock.monotonic() + patience;
  while (true) {
    const ClusterSnapshot now = tools.probe.look();
    Evidence evidence = judge(now);
    const nanoseconds next = now.at + kBetweenLooks;
    if (evidence.took || next >= deadline) return evidence;
    if (const nanoseconds rest = next - tools.clock.monotonic(); rest.count() > 0)
      tools.clock.sleep_for(rest);
  }
}

Evidence is_back(const ClusterSnapshot& now, const std::string& member) {
  const PatroniMember* seen = now.find(member);
  if (seen == nullptr) return {.sentence = "Patroni does not tell of " + member};
  const std::string words = member + " is " + told(*seen) + " by Patroni";
  const bool runs = is_leader_role(seen->role) ? seen->state == "running"
                                               : seen->state == "streaming" || seen->state == "running";
  if (!runs) return {.sentence = words};
  const auto server = now.servers.find(member);
  if (server != now.servers.end() && !server->second.answered) {
    return {.sentence = words + ", but its PostgreSQL does not answer: " + server->second.why_not};
  }
  return {.took = true, .sentence = words};
}

std::string told(const PatroniMember& member) {
  std::string words = member.role + ", " + (member.state.empty() ? "in no state" : member.state);
  if (member.timeline) words += ", on timeline " + std::to_string(*member.timeline);
  return words;
}

Result<const PatroniMember*> aim_at_leader(const ClusterSnapshot& now, const std::string& fault) {
  if (const PatroniMember* leader = now.leader()) return leader;
  return Failure{
      .kind = FailureKind::missing,
      .what = "choose a target for " + fault,
      .where = {},
      .came_back = now.members.empty() ? "Patroni answers nowhere" : "there is not exactly one leader",
      .hint = "Look at `patronictl list`."};
}

}  // namespace pgfiredrill::fault
