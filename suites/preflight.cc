#include "suites/preflight.h"

#include <algorithm>
#include <set>

#include "cluster/discovery/entry_points.h"
#include "record/recorder.h"
#include "suites/preflight_judgement.h"

namespace pgfiredrill {
namespace {

constexpr std::int64_t kUsualMaximumLag = std::int64_t{1} << 20;
/// A record that fills the last byte of a disk is a fault that nobody asked for.
constexpr std::size_t kSpareBytes = std::size_t{64} << 20;
/// Of places where one thing failed, beside the first.
constexpr std::size_t kOthersNamed = 2;

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (1u << 20) - 1) >> 20) + " MiB";
}

std::string place_of(const NotReached& missing) {
  return (missing.host.empty() ? "" : missing.host + ", ") + missing.topic;
}

/// One cause, as a wrong password, fails everywhere: it is told once, with some of the places.
std::vector<std::string> refusals_by_not_reached(const std::vector<NotReached>& not_reached) {
  struct Cause {
    const NotReached* first;
    std::vector<std::string> others;
  };
  std::vector<Cause> causes;
  for (const NotReached& missing : not_reached) {
    const auto same = std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) {
      const Failure& known = cause.first->failure;
      return !known.hint.empty() && known.hint == missing.failure.hint && known.kind == missing.failure.kind;
    });
    if (same == causes.end()) {
      causes.push_back({&missing, {}});
    } else {
      same->others.push_back(place_of(missing));
    }
  }
  std::vector<std::string> refusals;
  for (const Cause& cause : causes) {
    std::string refusal = place_of(*cause.first) + ": " + cause.first->failure.message();
    const std::size_t named = std::min(cause.others.size(), kOthersNamed);
    for (std::size_t i = 0; i < named; ++i) refusal += (i == 0 ? " Likewise " : "; ") + cause.others[i];
    if (const std::size_t more = cause.others.size() - named; more > 0) {
      refusal += "; and " + std::to_string(more) + " more, see `pgfiredrill inspect`";
    }
    refusals.push_back(refusal + (named > 0 ? "." : ""));
  }
  return refusals;
}

/// Runs that live, and those whose changes are not undone yet. A host that does not answer is named where the
/// lock is taken.
std::vector<std::string> refusals_by_other_runs(const std::vector<fault::HostState>& states) {
  std::set<std::string> told;
  std::vector<std::string> refusals;
  for (const fault::HostState& state : states) {
    if (state.lock_run.empty() || state.lock_left.count() <= 0 || !told.insert(state.lock_run).second)
      continue;
    refusals.push_back("Run " + one_line(state.lock_run) + " of " + one_line(state.lock_owner) +
                       " holds the cluster's lock. Wait until it has ended; if it was killed, `pgfiredrill "
                       "heal` undoes what it has changed.");
  }
  for (const fault::HostState& state : states) {
    for (const fault::OpenRun& armed : state.armed) {
      if (!told.insert(armed.run_id).second) continue;
      refusals.push_back("What run " + one_line(armed.run_id) + " of " + one_line(armed.owner) +
                         " has changed is not undone yet. Run `pgfiredrill heal` first.");
    }
  }
  return refusals;
}

/// Without what a run gets at by another way.
std::vector<NotReached> missed_by_runs(const ClusterDescription& cluster) {
  std::vector<NotReached> missed = cluster.not_reached;
  for (const EntryPoint& point : cluster.entry_points) {
    if (!is_walled_off(cluster, point)) continue;
    std::erase_if(missed, [&](const NotReached& each) { return is_login_through(each, point); });
  }
  return missed;
}

/// Room, consent and a free name.
std::vector<std::string> refusals_by_needs(const RunRequest& request, const RunEnvironment& environment,
                                           const RunManifest& manifest, const ClusterSnapshot& now) {
  std::vector<std::string> refusals;
  const std::size_t needed = estimate_record_bytes(manifest) + kSpareBytes;
  const auto free = free_bytes(request.run_folder);
  if (!free) {
    refusals.push_back(free.error().message());
  } else if (*free < needed) {
    refusals.push_back("The run record needs " + mebibytes(needed) + ", and " + request.run_folder + " has " +
                       mebibytes(*free) + " left. Choose another place with --output.");
  }
  const PatroniMember* leader = now.leader();
  if (leader == nullptr) return refusals;  // the snapshot's own refusals say so
  if (const auto may = may_switch_over(environment.cluster, environment.http, *leader); !may) {
    refusals.push_back(may.error().message());
  }
  const auto foreign = environment.ledger.find_foreign(leader->name);
  if (!foreign) {
    refusals.push_back(foreign.error().message());
  } else if (*foreign) {
    refusals.push_back("There is a " + **foreign +
                       " already, which a drill would make and remove. If an earlier run left it, "
                       "`pgfiredrill heal` removes it; else rename yours.");
  }
  return refusals;
}

}  // namespace

std::int64_t maximum_lag_bytes(const ClusterDescription& cluster) {
  return cluster.settings.maximum_lag_on_failover_bytes.value.value_or(kUsualMaximumLag);
}

std::vector<Obstacle> obstacles_by_description(const ClusterDescription& cluster) {
  const std::vector<NotReached> missed = missed_by_runs(cluster);
  std::vector<Obstacle> obstacles = firm(refusals_by_not_reached(missed));
  const auto refuse = [&](const char* name, const std::string& text) { obstacles.push_back({name, text}); };
  if (cluster.members.size() < 2) {
    refuse("", "The cluster has fewer than two members: nothing could take over.");
  }
  for (const Member& member : cluster.members) {
    if (member.host.empty()) {
      refuse("", "Member " + member.name +
                     " runs on no host of the inventory: it could be neither watched nor healed.");
    }
    if (member.role == "standby_leader") {
      refuse("standby-cluster",
             "This is a standby cluster: it takes no writes, so a drill would measure nothing.");
    }
    if (member.pending_restart) {
      refuse("pending-restart",
             "Member " + member.name +
                 " waits for a restart: a drill would bring settings into force that nobody planned.");
    }
  }
  for (const ConsensusMember& member : cluster.consensus) {
    if (!member.healthy) refuse("", "The consensus store's member " + member.name + " is not healthy.");
  }
  return obstacles;
}

std::vector<std::string> refusals_by_snapshot(const ClusterDescription& cluster, const ClusterSnapshot& now) {
  std::vector<std::string> refusals;
  if (now.paused) {
    refusals.emplace_back(
        "Patroni is paused: there would be no automatic failover. `patronictl resume` ends it.");
  }
  if (now.switchover_scheduled) refusals.emplace_back("A switchover is scheduled: it would come in between.");
  for (const Member& member : cluster.members) {
    if (now.find(member.name) == nullptr) {
      refusals.push_back("Patroni does not see member " + member.name + " any more.");
    }
  }
  for (std::string& gap : health_gaps(now, now, maximum_lag_bytes(cluster))) {
    refusals.push_back(std::move(gap));
  }
  // Last: who is down explains why somebody did not answer.
  refusals.insert(refusals.end(), now.troubles.begin(), now.troubles.end());
  return refusals;
}

std::vector<Obstacle> obstacles_by_looking(const RunRequest& request, const RunEnvironment& environment,
                                           const ClusterSnapshot& now) {
  std::vector<Failure> not_reached;
  const auto states = environment.locks.look(not_reached);
  // As long as there is another run, all else that is found may be its doing.
  if (const auto others = refusals_by_other_runs(states); !others.empty()) return firm(others);
  std::vector<Obstacle> obstacles = obstacles_by_stamps(states, request.continues.run_id);
  if (const PatroniMember* leader = now.leader(); leader != nullptr) {
    const auto work = obstacles_by_facts(environment.questions.ask(leader->name));
    obstacles.insert(obstacles.end(), work.begin(), work.end());
  }
  return obstacles;
}

std::vector<Obstacle> obstacles_by_asking(const RunRequest& request, const RunEnvironment& environment,
                                          const RunManifest& manifest, const ClusterSnapshot& now) {
  std::vector<Obstacle> obstacles = obstacles_by_looking(request, environment, now);
  const bool another_run = std::any_of(obstacles.begin(), obstacles.end(),
                                       [](const Obstacle& obstacle) { return obstacle.name.empty(); });
  if (another_run) return obstacles;
  const auto needs = firm(refusals_by_needs(request, environment, manifest, now));
  obstacles.insert(obstacles.begin(), needs.begin(), needs.end());
  return obstacles;
}

}  // namespace pgfiredrill
