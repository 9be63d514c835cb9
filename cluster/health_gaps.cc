// What is missing to full health: pure, over two snapshots.

#include <algorithm>
#include <utility>

#include "cluster/cluster_probe.h"

namespace pgfiredrill {
namespace {

using Names = std::set<std::string>;

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text.empty() ? "nobody" : text;
}

bool has_tag(const PatroniMember& member, const std::string& tag) {
  const auto found = member.tags.find(tag);
  return found != member.tags.end() && found->second != "false";
}

bool runs(const PatroniMember& member) {
  return member.state == "running" || member.state == "streaming";
}

/// Patroni before 3.0.4 has no word for streaming.
bool knows_streaming(const ClusterSnapshot& snapshot) {
  return std::any_of(snapshot.members.begin(), snapshot.members.end(),
                     [](const PatroniMember& member) { return member.state == "streaming"; });
}

/// Whom a balancer's listener should have up, by Patroni's roles.
Names due_behind(EntryPointRole role, const ClusterSnapshot& now) {
  Names names;
  for (const PatroniMember& member : now.members) {
    if (!runs(member)) continue;
    const bool leads = is_leader_role(member.role);
    const bool readable = !leads && !has_tag(member, "noloadbalance");
    const bool synchronous = member.role == "sync_standby";
    if ((role == EntryPointRole::primary && leads) || (role == EntryPointRole::replica && readable) ||
        (role == EntryPointRole::replica_sync && readable && synchronous) ||
        (role == EntryPointRole::replica_async && readable && !synchronous)) {
      names.insert(member.name);
    }
  }
  return names;
}

class GapFinder {
 public:
  GapFinder(const ClusterSnapshot& now, const ClusterSnapshot& baseline, std::int64_t maximum_lag_bytes)
      : now_{now}, baseline_{baseline}, maximum_lag_bytes_{maximum_lag_bytes} {}

  std::vector<std::string> find() {
    look_at_leader();
    for (const PatroniMember& former : baseline_.members) look_at_member(former.name);
    for (const auto& [member, server] : baseline_.servers) {
      if (server.answered && !now_.servers.contains(member))
        gap("PostgreSQL of " + member + " was not asked");
    }
    for (const auto& [member, server] : now_.servers) look_at_server(member, server);
    look_at_pause();
    look_at_consensus();
    for (const auto& [host, listeners] : baseline_.balancers) look_at_balancer(host, listeners);
    look_at_archiver();
    return std::move(gaps_);
  }

 private:
  void gap(const std::string& sentence) { gaps_.push_back(sentence + "."); }

  void look_at_leader() {
    Names leaders;
    for (const PatroniMember& member : now_.members) {
      if (is_leader_role(member.role)) leaders.insert(member.name);
    }
    if (now_.members.empty()) return gap("Patroni answers nowhere");
    if (leaders.empty()) return gap("Nobody leads");
    if (leaders.size() > 1) gap("Several lead: " + joined(leaders));
  }

  void look_at_member(const std::string& name) {
    const PatroniMember* member = now_.find(name);
    if (member == nullptr) {
      if (!now_.members.empty()) gap(name + " is no member any more");
      return;
    }
    if (is_leader_role(member->role)) {
      if (!runs(*member)) gap(name + " leads and is " + member->state);
      return;
    }
    const bool has_word = knows_streaming(baseline_) || knows_streaming(now_);
    const bool streams = member->state == "streaming" || (member->state == "running" && !has_word);
    if (!streams) return gap(name + " is " + (member->state.empty() ? "in no state" : member->state));
    look_at_replication(*member);
  }

  void look_at_replication(const PatroniMember& member) {
    const PatroniMember* leader = now_.leader();
    if (leader == nullptr) return;
    if (member.timeline && leader->timeline && *member.timeline != *leader->timeline) {
      return gap(member.name + " is on timeline " + std::to_string(*member.timeline) + ", its leader on " +
                 std::to_string(*leader->timeline));
    }
    const auto lag = lag_bytes(member, *leader);
    if (!member.timeline || !lag) return gap("How far " + member.name + " is is not known");
    if (*lag > maximum_lag_bytes_) gap(member.name + " lags by " + std::to_string(*lag) + " bytes");
  }

  /// Patroni's own figure compares positions that are up to a loop_wait old: under load that alone is a lag.
  [[nodiscard]] std::optional<std::int64_t> lag_bytes(const PatroniMember& member,
                                                      const PatroniMember& leader) const {
    const auto its_own = position(member.name);
    const auto leaders = position(leader.name);
    if (!its_own || !leaders) return member.lag_bytes;
    return std::max<std::int64_t>(*leaders - *its_own, 0);
  }

  [[nodiscard]] std::optional<std::int64_t> position(const std::string& member) const {
    const auto server = now_.servers.find(member);
    if (server == now_.servers.end() || !server->second.answered) return std::nullopt;
    return server->second.position;
  }

  void look_at_server(const std::string& name, const ServerState& server) {
    if (!server.answered) {
      return gap("PostgreSQL of " + name + " does not answer" +
                 (server.why_not.empty() ? "" : " (" + server.why_not + ")"));
    }
    const PatroniMember* member = now_.find(name);
    if (member == nullptr) return;
    const bool leads = member->role != "standby_leader" && is_leader_role(member->role);
    if (leads == server.in_recovery) {
      gap(name + " is " + member->role + " by Patroni, but its PostgreSQL is " +
          (leads ? "in recovery" : "not in recovery"));
    }
  }

  void look_at_pause() {
    if (now_.paused && !baseline_.paused) gap("Patroni is paused");
    if (now_.switchover_scheduled && !baseline_.switchover_scheduled) gap("A switchover is scheduled");
  }

  void look_at_consensus() {
    for (const std::string& name : baseline_.consensus_healthy) {
      if (!now_.consensus_healthy.contains(name)) gap(name + " of the consensus store is not healthy");
    }
  }

  void look_at_balancer(const std::string& host,
                        const std::map<EntryPointRole, std::set<std::string>>& before) {
    const auto balancer = now_.balancers.find(host);
    if (balancer == now_.balancers.end()) return gap("The balancer on " + host + " does not answer");
    for (const auto& [role, unused] : before) {
      if (role == EntryPointRole::node) continue;
      const auto up = balancer->second.find(role);
      const Names seen = up == balancer->second.end() ? Names{} : up->second;
      const Names due = due_behind(role, now_);
      if (seen == due) continue;
      gap(std::string{"The balancer on "} + host + " has " + joined(seen) + " up as " + to_string(role) +
          ", by Patroni it is " + joined(due));
    }
  }

  void look_at_archiver() {
    if (!baseline_.archiver) return;
    if (!now_.archiver) {
      if (now_.leader() != nullptr) gap("Whether the leader archives is not known");
      return;
    }
    if (!baseline_.archiver->on) return;
    if (!now_.archiver->on) return gap("Archiving is off");
    if (now_.archiver->failing) gap("Archiving fails");
    if (now_.archiver->waiting > 0)
      gap(std::to_string(now_.archiver->waiting) + " segments wait for archiving");
  }

  const ClusterSnapshot& now_;
  const ClusterSnapshot& baseline_;
  std::int64_t maximum_lag_bytes_;
  std::vector<std::string> gaps_;
};

}  // namespace

const PatroniMember* ClusterSnapshot::leader() const {
  const PatroniMember* found = nullptr;
  for (const PatroniMember& member : members) {
    if (!is_leader_role(member.role)) continue;
    if (found != nullptr) return nullptr;
    found = &member;
  }
  return found;
}

const PatroniMember* ClusterSnapshot::find(const std::string& member) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const PatroniMember& known) { return known.name == member; });
  return found == members.end() ? nullptr : &*found;
}

std::vector<std::string> health_gaps(const ClusterSnapshot& now, const ClusterSnapshot& baseline,
                                     std::int64_t maximum_lag_bytes) {
  return GapFinder{now, baseline, maximum_lag_bytes}.find();
}

}  // namespace pgfiredrill
