#include "fault-injectors/member_aim.h"

#include "fault-injectors/aiming.h"

namespace pgfiredrill::fault {

Result<PatroniMember> aim_at_member(const std::string& target, const ClusterSnapshot& now,
                                    const Tools& tools) {
  const auto victims = choose_victims(target, now, tools);
  if (!victims) return victims.error();
  const PatroniMember* member = now.find(victims->front().member);
  if (member != nullptr && !member->name.empty()) return *member;
  return Failure{.kind = FailureKind::missing,
                 .what = "find " + one_line(target, 80) + " to aim at",
                 .where = victims->front().host,
                 .came_back = "Patroni tells of no member there",
                 .hint = "Look at `patronictl list`."};
}

std::string postmaster_start(const ClusterSnapshot& now, const std::string& member) {
  const auto server = now.servers.find(member);
  return server == now.servers.end() || !server->second.answered ? std::string{}
                                                                 : server->second.postmaster_start;
}

}  // namespace pgfiredrill::fault
