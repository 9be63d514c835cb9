#pragma once

/// Who is the victim: from a target's word to hosts and members, by what the cluster is now.

#include <string>
#include <vector>

#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// One machine that a fault hits.
struct Victim {
  std::string host;       ///< inventory name
  std::string member;     ///< of Patroni; empty where none runs there
  std::string consensus;  ///< of the consensus store; empty likewise
};

// Targets that `choose_victims` knows, beside the name of a member or host.
inline constexpr const char* kLeader = "leader";
inline constexpr const char* kReplica = "replica";  ///< one that streams; not the synchronous one
                                                    ///< where there is another
inline constexpr const char* kSyncStandby = "sync_standby";
inline constexpr const char* kReplicas = "replicas";  ///< every member but the leader
inline constexpr const char* kAllMembers = "all";     ///< every member
/// The leader and one more member: for what stands in the consensus store, and must be undone even if one of
/// both is lost meanwhile.
inline constexpr const char* kTwoMembers = "cluster";
inline constexpr const char* kEtcdLeader = "etcd_leader";
inline constexpr const char* kEtcdFollower = "etcd_follower";  ///< not on the cluster leader's host where
                                                               ///< there is another
inline constexpr const char* kEtcdQuorum = "etcd_quorum";      ///< so many that no majority is left, the
                                                               ///< leader's host last of all
inline constexpr const char* kEtcdAll = "etcd_all";
inline constexpr const char* kBalancer = "balancer";  ///< the first entry point's
inline constexpr const char* kBalancersButOne = "balancers_but_one";
inline constexpr const char* kVipHolder = "vip_holder";

/// Fails `missing` where the cluster has none such now, or a victim runs on no host of the inventory.
/// Blocking: asks hosts and consensus store where the snapshot does not say it.
[[nodiscard]] Result<std::vector<Victim>> choose_victims(const std::string& target,
                                                         const ClusterSnapshot& now, const Tools& tools);

/// "pgnode01" of one, "pg2, pg3" of several: members where they are, else hosts.
[[nodiscard]] std::string names_of(const std::vector<Victim>& victims);

}  // namespace pgfiredrill::fault
