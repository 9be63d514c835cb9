#pragma once

/// What a run has changed on a cluster and not yet undone: a synced journal on this machine and a record on
/// every host, so that `pgfiredrill heal` can undo it from any machine.
///
/// Local: `$XDG_STATE_HOME/pgfiredrill/<cluster>/journal.jsonl` (else `~/.local/state`), mode 0600. On hosts:
/// `/var/lib/pgfiredrill/lock` (who, until when) and `/var/lib/pgfiredrill/armed/<run>` (what). No secrets.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/failure.h"
#include "base/host.h"

namespace pgfiredrill::fault {

/// Something that must be undone, in the words that undoing needs.
struct Debt {
  /// "fault" (name: kind, detail: target member), "leader" (name: the member that led before), "database"
  /// (name), "role" (name).
  std::string kind;
  std::string name;
  std::string detail;
  [[nodiscard]] bool operator==(const Debt&) const = default;
};

/// An open run as a journal or a host tells it.
struct OpenRun {
  std::string run_id;
  std::string owner;        ///< "root@tester pid 1234 boot 0f3c…"
  std::vector<Debt> debts;  ///< in the order in which they were made; undo from the last to the first
};

/// Appends a line and syncs for each change. One thread at a time.
class Journal {
 public:
  /// Fails where the folder cannot be made or written.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(const std::string& cluster_name);
  virtual ~Journal() = default;

  [[nodiscard]] virtual Result<void> begin(const std::string& run_id, const std::string& owner) = 0;
  [[nodiscard]] virtual Result<void> owe(const std::string& run_id, const Debt& debt) = 0;
  [[nodiscard]] virtual Result<void> settle(const std::string& run_id, const Debt& debt) = 0;
  /// Everything is undone.
  [[nodiscard]] virtual Result<void> end(const std::string& run_id) = 0;
  /// Runs that have begun and not ended, oldest first. A last line cut short is ignored.
  [[nodiscard]] virtual Result<std::vector<OpenRun>> open_runs() const = 0;
  [[nodiscard]] virtual const std::string& path() const noexcept = 0;
};

}  // namespace pgfiredrill::fault
