#include "suites/cluster_watch.h"

#include <chrono>
#include <utility>

#include "base/text.h"

namespace pgfiredrill {
namespace {

/// Patroni's REST interface costs milliseconds of CPU a request, on the machines that are being measured.
constexpr nanoseconds kInterval = std::chrono::seconds{1};

std::string host_of(const ClusterDescription& cluster, const std::string& name) {
  const Member* member = cluster.find_member(name);
  return member == nullptr ? std::string{} : member->host;
}

}  // namespace

std::string topology_line(const ClusterSnapshot& snapshot) {
  const PatroniMember* leader = snapshot.leader();
  std::string line = leader == nullptr ? "no leader" : "leader " + leader->name;
  if (leader != nullptr && leader->state != "running") line += " (" + leader->state + ")";
  if (leader != nullptr && leader->timeline) line += ", timeline " + std::to_string(*leader->timeline);
  const char* separator = "; ";
  for (const PatroniMember& member : snapshot.members) {
    if (&member == leader) continue;
    line += separator + member.name + " " + member.state;
    separator = ", ";
  }
  return line;
}

ClusterWatch::ClusterWatch(ClusterProbe& probe, Background& background, Clock& clock, Recorder& recorder,
                           const ClusterDescription& cluster, ClusterSnapshot baseline,
                           std::int64_t maximum_lag_bytes)
    : probe_{probe},
      background_{background},
      clock_{clock},
      recorder_{recorder},
      cluster_{cluster},
      baseline_{std::move(baseline)},
      maximum_lag_bytes_{maximum_lag_bytes} {
  take_in(baseline_);
  next_look_ = clock_.monotonic() + kInterval;
}

ClusterWatch::~ClusterWatch() = default;

void ClusterWatch::poll() {
  if (look_ != nullptr) {
    if (!look_->done()) return;
    look_.reset();
    take_in(std::move(*arrived_));
    arrived_.reset();
  }
  const nanoseconds now = clock_.monotonic();
  if (now < next_look_) return;
  next_look_ = now + kInterval;
  look_ = background_.start([this] { arrived_ = probe_.look(); });
}

void ClusterWatch::take_in(ClusterSnapshot snapshot) {
  latest_ = std::move(snapshot);
  record_servers(latest_);
  record_topology(latest_);
  record_health(latest_);
}

void ClusterWatch::record_servers(const ClusterSnapshot& snapshot) {
  for (const auto& [member, server] : snapshot.servers) {
    if (!server.answered || server_starts_[member] == server.postmaster_start) continue;
    server_starts_[member] = server.postmaster_start;
    recorder_.add({.kind = event::kServerIdentity,
                   .at = snapshot.at,
                   .fields = {{"member", member},
                              {"host", host_of(cluster_, member)},
                              {"postmaster_start", server.postmaster_start}}});
  }
}

void ClusterWatch::record_topology(const ClusterSnapshot& snapshot) {
  std::string line = topology_line(snapshot);
  if (line == topology_) return;
  topology_ = std::move(line);
  last_change_ = snapshot.at;
  const PatroniMember* leader = snapshot.leader();
  std::string members;
  for (const PatroniMember& member : snapshot.members) {
    members += (members.empty() ? "" : ",") + member.name + "=" + member.role + "/" + member.state;
  }
  recorder_.add({.kind = event::kTopology,
                 .at = snapshot.at,
                 .fields = {{"leader", leader == nullptr ? std::string{} : leader->name},
                            {"timeline", leader == nullptr ? std::int64_t{0} : leader->timeline.value_or(0)},
                            {"members", members}}});
}

void ClusterWatch::record_health(const ClusterSnapshot& snapshot) {
  gaps_ = health_gaps(snapshot, baseline_, maximum_lag_bytes_);
  if (!gaps_.empty()) {
    healthy_since_.reset();
  } else if (!healthy_since_) {
    healthy_since_ = snapshot.at;
  }
  recorder_.add({.kind = event::kHealth,
                 .at = snapshot.at,
                 .fields = {{"healthy", gaps_.empty()}, {"gaps", join(gaps_, "; ")}}});
}

}  // namespace pgfiredrill
