#pragma once

/// A fault: aims, injects, verifies that it took, reverts, verifies again. One file for each kind.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/host.h"
#include "base/http.h"
#include "cluster/cluster_probe.h"
#include "record/manifest.h"

namespace pgfiredrill::fault {

/// What a fault works with; all must outlive it.
struct Tools {
  const ClusterDescription& cluster;
  HttpClient& http;
  HostFinder hosts;
  ClusterProbe& probe;
  Clock& clock;
};

struct Evidence {
  bool took = false;
  std::string sentence;  ///< what proves it, or why it is not proven
};

/// Blocking: a worker thread, one at a time, in the order of the methods below. One that was made with a
/// member's name as its target, to heal what another process did, is only reverted and verified.
class Fault {
 public:
  virtual ~Fault() = default;

  /// Chooses the victim from what the cluster is now. Fails where there is none (`missing`).
  [[nodiscard]] virtual Result<void> aim(const ClusterSnapshot& now) = 0;
  /// Member that it hits; set after `aim`.
  [[nodiscard]] virtual const std::string& target() const noexcept = 0;
  /// Every remote command and request that `inject` and `revert` will make, an entry each (a script's text
  /// has several lines), for --dry-run. After `aim`. No secrets.
  [[nodiscard]] virtual std::vector<std::string> describe() const = 0;
  /// A failure says whether it may have taken all the same (`transaction_in_doubt`).
  [[nodiscard]] virtual Result<void> inject() = 0;
  /// Looks until it is proven, or `deadline` has passed since the call.
  [[nodiscard]] virtual Evidence verify(nanoseconds deadline) = 0;
  /// Undoes what this fault did and the cluster does not undo by itself; idempotent.
  [[nodiscard]] virtual Result<void> revert() = 0;
  /// Waits a minute for a member that is on its way back.
  [[nodiscard]] virtual Evidence verify_reverted() = 0;
};

struct FaultKind {
  const char* name;                  ///< `kill-postmaster`
  const char* proves;                ///< one line for `list faults`
  const char* undone_by;             ///< one line: what brings the cluster back
  std::vector<std::string> targets;  ///< what `target` may say
  bool unplanned;                    ///< may lose writes of others under asynchronous replication
  std::function<std::unique_ptr<Fault>(const FaultSpec&, Tools)> make;
};

/// Every fault that this program knows, in the order in which `list faults` shows them.
[[nodiscard]] const std::vector<FaultKind>& fault_kinds();
[[nodiscard]] const FaultKind* find_fault_kind(const std::string& name);

}  // namespace pgfiredrill::fault
