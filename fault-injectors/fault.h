#pragma once

/// A fault: aims, arms its own undoing on the targets, injects, verifies that it took, reverts, verifies
/// again. One file for each kind.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/host.h"
#include "base/http.h"
#include "cluster/cluster_probe.h"
#include "cluster/connect_parameters.h"
#include "fault-injectors/helper.h"
#include "record/manifest.h"

namespace pgfiredrill::fault {

/// Switches a host on or off by the user's own command; fails where none was given.
using PowerSwitch = std::function<Result<void>(const std::string& host, bool on)>;

/// What a fault works with; all must outlive it.
struct Tools {
  const ClusterDescription& cluster;
  HttpClient& http;
  HostFinder hosts;
  ClusterProbe& probe;
  Clock& clock;
  const Helper& helper;
  /// Which run it is, and which fault of the run: names what stands on the targets.
  /// `20261130T184500Z-smoke.3`
  std::string id;
  PowerSwitch power;
  /// How the traffic's role logs in: database, user, password, sslmode; the rest is the fault's. Null while
  /// healing.
  const ConnectParameters* traffic = nullptr;
};

struct Evidence {
  bool took = false;
  std::string sentence;  ///< what proves it, or why it is not proven
};

/// Blocking: a worker thread, one at a time, in the order of the methods below. One that was made with a
/// victim's name as its target, to heal what another process did, is only reverted and verified.
class Fault {
 public:
  virtual ~Fault() = default;

  /// Chooses the victim from what the cluster is now. Fails where there is none (`missing`).
  [[nodiscard]] virtual Result<void> aim(const ClusterSnapshot& now) = 0;
  /// Member or host that it hits, several parted by ", "; set after `aim`.
  [[nodiscard]] virtual const std::string& target() const noexcept = 0;
  /// Every remote command and request that `arm`, `inject` and `revert` will make, an entry each (a script's
  /// text has several lines), for --dry-run. After `aim`. No secrets.
  [[nodiscard]] virtual std::vector<std::string> describe() const = 0;
  /// Lays on the targets what undoes the fault there even if nobody comes back: before `inject`, after the
  /// debt is written down. Nothing is broken by it.
  [[nodiscard]] virtual Result<void> arm() { return {}; }
  /// A failure says whether it may have taken all the same (`transaction_in_doubt`).
  [[nodiscard]] virtual Result<void> inject() = 0;
  /// Looks until it is proven, or `deadline` has passed since the call.
  [[nodiscard]] virtual Evidence verify(nanoseconds deadline) = 0;
  /// Just before the revert of a fault that was held: it is still in force, and nobody has undone it early.
  [[nodiscard]] virtual Evidence verify_held() { return {.took = true, .sentence = {}}; }
  /// Undoes what this fault did and the cluster does not undo by itself; idempotent.
  [[nodiscard]] virtual Result<void> revert() = 0;
  /// Waits a minute for a member that is on its way back.
  [[nodiscard]] virtual Evidence verify_reverted() = 0;
  /// What a person would run to undo it, a line each.
  [[nodiscard]] virtual std::vector<std::string> by_hand() const { return {}; }
};

/// A choice that a kind of fault offers beside its target.
struct FaultOption {
  const char* name;                 ///< `service`
  std::vector<std::string> values;  ///< what may be said; the first where nothing is
};

/// What it does to the cluster's acknowledged writes under asynchronous replication.
enum class Danger : unsigned char {
  none,          ///< planned, or hits no leader
  may_failover,  ///< may end in an unplanned failover, which loses writes of others that were not replicated
};

struct FaultKind {
  const char* name;                  ///< `freeze-process`
  const char* proves;                ///< one line for `list faults`
  const char* undone_by;             ///< one line: what brings the cluster back
  std::vector<std::string> targets;  ///< what `target` may say; the first where nothing is said
  bool names = false;                ///< `target` may also be the name of a host or member
  std::vector<FaultOption> options;
  bool holds = false;    ///< stays in force until it is reverted: a drill says for how long, or ttl + 15 s
  bool on_hosts = true;  ///< stands in the helper's records on the targets, from which it is healed
  /// Of a fault with such a target and options.
  std::function<Danger(const FaultSpec&)> danger;
  std::function<std::unique_ptr<Fault>(const FaultSpec&, Tools)> make;
};

/// Every fault that this program knows, in the order in which `list faults` shows them.
[[nodiscard]] const std::vector<FaultKind>& fault_kinds();
[[nodiscard]] const FaultKind* find_fault_kind(const std::string& name);

}  // namespace pgfiredrill::fault
