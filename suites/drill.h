#pragma once

/// One repeat of one drill: from the steady state through the fault to full health, and the ledger read back.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fault-injectors/fault.h"
#include "measure/live.h"
#include "record/manifest.h"
#include "record/recorder.h"
#include "record/run_reader.h"
#include "suites/cluster_watch.h"
#include "suites/debts.h"
#include "suites/pump.h"
#include "suites/run.h"

namespace pgfiredrill {

/// What the repeats of a run share; main's.
struct RunState {
  const RunRequest& request;
  const RunEnvironment& environment;
  const RunManifest& manifest;
  Recorder& recorder;
  Debts& debts;
  Traffic& traffic;
  const ConnectParameters& login;  ///< of the traffic's role
  ApplicationClients& clients;
  ClusterWatch& watch;
  Pump& pump;
  LiveView& live;
  RunProgress& progress;
  nanoseconds& injected_at;  ///< of the repeat that goes on; 0: not injected
  nanoseconds& stage_began;
  bool& driving;  ///< traffic is due now
};

/// Connections of the ledger writer, each a stream of its own.
inline constexpr int kLedgerConnections = 4;

enum class RepeatEnd : unsigned char {
  done,       ///< went through its life, and all is healthy
  refused,    ///< not begun: not the steady state
  skipped,    ///< not begun: this cluster has no victim for this fault
  not_taken,  ///< the fault could not be proven
  unhealthy,  ///< the cluster did not come back to full health in time
};

struct RepeatOutcome {
  RepeatEnd end = RepeatEnd::done;
  std::string reason;
};

/// Throws `Interrupted` from any wait; what is owed then stands in `debts`.
class Drill {
 public:
  /// `serial` counts the repeats of a whole run from 0.
  Drill(RunState& state, std::size_t drill, std::size_t repeat, std::size_t serial);

  [[nodiscard]] RepeatOutcome run();
  /// Undoes what the faults did, the last one first, and verifies it; also for whoever cleans up after an
  /// interrupt. What could not be undone is returned, with what a person would run; empty: all is undone.
  [[nodiscard]] std::string revert();
  /// Waits for full health of the cluster and of every path that the drill needs; false: not in time.
  [[nodiscard]] bool wait_for_health();

  /// The first stream of the repeat's ledger and the last: never used twice in a run.
  [[nodiscard]] std::uint16_t first_stream() const noexcept;
  [[nodiscard]] std::uint16_t last_stream() const noexcept;

 private:
  [[nodiscard]] std::unique_ptr<fault::Fault> make_fault(const FaultSpec& spec, std::size_t number) const;
  void stage(const std::string& name, std::optional<double> takes_s = std::nullopt);
  [[nodiscard]] std::optional<std::string> steady_state();
  [[nodiscard]] std::optional<std::string> log_in();
  [[nodiscard]] std::optional<std::string> baseline();
  [[nodiscard]] std::optional<std::string> aim();
  [[nodiscard]] std::optional<std::string> stamp();
  [[nodiscard]] std::optional<std::string> arm(std::size_t number, const ClusterSnapshot& now);
  [[nodiscard]] RepeatOutcome inject();
  [[nodiscard]] RepeatOutcome inject_first();
  [[nodiscard]] RepeatOutcome inject_further(std::size_t number);
  [[nodiscard]] std::optional<std::string> aim_again(std::size_t number);
  [[nodiscard]] fault::Evidence break_it(fault::Fault& fault);
  [[nodiscard]] bool is_held() const;
  [[nodiscard]] RepeatOutcome last();
  [[nodiscard]] RepeatOutcome hold();
  [[nodiscard]] RepeatOutcome not_taken(const std::string& reason);
  [[nodiscard]] std::string revert_one(fault::Fault& fault, const FaultSpec& spec);
  [[nodiscard]] RepeatOutcome refuse(const std::string& refusal);
  [[nodiscard]] Result<void> settle();
  void stop_traffic();
  void observe();
  void record_history();
  void read_back();
  [[nodiscard]] nanoseconds random_delay();
  [[nodiscard]] bool paths_answer();
  RepeatOutcome end(RepeatEnd how, const std::string& reason);

  RunState& state_;
  const DrillPlan& plan_;
  const std::size_t drill_;
  const std::size_t repeat_;
  const std::size_t serial_;
  std::vector<FaultSpec> specs_;  ///< the first fault and the further ones, in their order
  std::vector<std::unique_ptr<fault::Fault>> faults_;
  std::vector<fault::Debt> debts_;  ///< of those that were armed
  nanoseconds confirmed_at_{0};     ///< of the latest
  bool no_victim_ = false;          ///< the first fault found none
};

}  // namespace pgfiredrill
