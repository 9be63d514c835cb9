#pragma once

/// What a cluster is right now, asked of Patroni, every balancer, the consensus store and PostgreSQL itself;
/// and whether that is full health. For preflight, for faults that must be verified, and for waiting until
/// all is well again.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/host.h"
#include "base/http.h"
#include "cluster/patroni_rest.h"

namespace pgfiredrill {

/// A member's own PostgreSQL, asked directly through its forwarded Unix socket.
struct ServerState {
  bool answered = false;
  std::string why_not;
  bool in_recovery = false;
  std::string postmaster_start;  ///< microseconds since 1970, as text
  std::optional<std::int64_t> postmaster_pid;
  /// Bytes of WAL since the beginning of its history: the leader's written, a standby's replayed.
  std::optional<std::int64_t> position;
};

struct ArchiverState {
  bool on = false;           ///< archive_mode
  bool failing = false;      ///< its last failure is newer than its last success
  std::int64_t waiting = 0;  ///< segments with .ready
};

struct ClusterSnapshot {
  nanoseconds at{0};  ///< monotonic, when the look began
  std::vector<PatroniMember> members;
  bool paused = false;
  bool switchover_scheduled = false;
  std::map<std::string, ServerState> servers;  ///< by member
  /// Balancer's host → role of the listener → names of members that are up there.
  std::map<std::string, std::map<EntryPointRole, std::set<std::string>>> balancers;
  std::set<std::string> consensus_healthy;  ///< names of etcd members
  std::optional<ArchiverState> archiver;    ///< of the leader
  std::vector<std::string> troubles;        ///< what did not answer, a sentence each

  [[nodiscard]] const PatroniMember* leader() const;  ///< null where there is none or more than one
  [[nodiscard]] const PatroniMember* find(const std::string& member) const;
};

/// Blocking: worker threads only; one thread at a time. Asks everything at the same time, each with its own
/// deadline (REST and statistics 1 s, SQL 2 s), so that a dead host costs no more than that.
class ClusterProbe {
 public:
  virtual ~ClusterProbe() = default;
  [[nodiscard]] virtual ClusterSnapshot look() = 0;
};

/// Host by its inventory name; it lives as long as the run.
using HostFinder = std::function<Host&(const std::string& name)>;

/// All must outlive the probe. Its end waits for logins that are under way.
[[nodiscard]] std::unique_ptr<ClusterProbe> make_cluster_probe(const ClusterDescription& cluster,
                                                               HttpClient& http, HostFinder hosts,
                                                               Clock& clock);

/// What is missing to full health, a sentence each; empty: it is fully healthy. Against the members,
/// balancers and consensus store that `baseline` had: one leader, every former member streaming on its
/// timeline within `maximum_lag_bytes` (by the servers' own positions where both answered: Patroni's are as
/// old as its last loop), consensus store as before, each balancer's set equal to Patroni's
/// roles, archiving not failing and nothing waiting. Pure.
[[nodiscard]] std::vector<std::string> health_gaps(const ClusterSnapshot& now,
                                                   const ClusterSnapshot& baseline,
                                                   std::int64_t maximum_lag_bytes);

/// `POST /switchover` to the leader's own REST. `candidate` may be empty. A result is Patroni's answer text
/// (HTTP 200); failures carry its status and text, and `transaction_in_doubt` where it may go on all the
/// same. Takes up to `deadline`: Patroni answers when it is done, or gives up after twice loop_wait (20 s).
[[nodiscard]] Result<std::string> request_switchover(const ClusterDescription& cluster, HttpClient& http,
                                                     const PatroniMember& leader,
                                                     const std::string& candidate,
                                                     std::chrono::milliseconds deadline);
/// Whether REST takes our credentials for unsafe methods, asked without changing anything (a switchover that
/// names no leader is refused with 400 to those who may, 401 to others).
[[nodiscard]] Result<void> may_switch_over(const ClusterDescription& cluster, HttpClient& http,
                                           const PatroniMember& member);

}  // namespace pgfiredrill
