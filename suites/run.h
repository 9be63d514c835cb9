#pragma once

/// Runs a suite on a cluster: preflight, traffic, each drill through its life, putting everything back. What
/// it finds is in the run record; nothing is judged here.

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/exit_class.h"
#include "base/http.h"
#include "cluster/cluster_probe.h"
#include "drivers/application_clients.h"
#include "drivers/login_storm.h"
#include "drivers/traffic.h"
#include "fault-injectors/fault.h"
#include "fault-injectors/host_lock.h"
#include "fault-injectors/journal.h"
#include "observers/server_observer.h"
#include "record/recorder.h"
#include "suites/background.h"
#include "suites/guard.h"
#include "suites/ledger_store.h"
#include "suites/preflight_questions.h"
#include "suites/resume.h"
#include "suites/run_view.h"
#include "suites/suite.h"

namespace pgfiredrill {

struct RunRequest {
  Suite suite;
  std::uint64_t seed = 0;
  bool keep_leader = false;
  std::string run_id;      ///< `20261130T184500Z-smoke`
  std::string run_folder;  ///< where `record/` will be made; not there yet
  std::vector<std::string> argv;
  std::string repro;
  std::string tool_version;
  std::set<std::string> overrides;  ///< names of obstacles that preflight lets pass
  bool accept_data_loss = false;    ///< also of others' writes
  std::vector<GuardLimit> guard;    ///< beyond any of them the run aborts
  ContinuedRun continues;
};

/// What a run works with; all must outlive it.
struct RunEnvironment {
  const ClusterDescription& cluster;
  HttpClient& http;
  HostFinder hosts;
  /// Two, since one thread at a time may use each: for watching, and for faults and preflight.
  ClusterProbe& watch_probe;
  ClusterProbe& fault_probe;
  fault::Journal& journal;
  fault::HostLocks& locks;
  LedgerStore& ledger;
  PreflightQuestions& questions;
  const fault::Helper& helper;
  fault::PowerSwitch power;
  Clock& clock;
  Background& background;
  RunView& view;
  std::function<Result<std::unique_ptr<Traffic>>(TrafficOptions, Recorder&, Clock&)> make_traffic;
  std::function<std::unique_ptr<ApplicationClients>(ApplicationClientsOptions, Recorder&, Clock&)>
      make_clients;
  /// CPU seconds that one login costs the dearest pooler. Blocking, on a worker.
  std::function<Result<double>(const TrafficAccess&)> login_cost;
  /// Starts to watch every server directly, in the traffic's database.
  std::function<std::unique_ptr<ServerObserver>(const TrafficAccess&, Recorder&, Clock&)> make_observer;
  std::function<Result<LoginRate>(const LoginStorm&, Recorder&, Clock&)> storm_logins;
  std::function<std::unique_ptr<fault::Fault>(const FaultSpec&, fault::Tools)> make_fault;
  std::function<int()> interrupts;  ///< how often a person asked to stop
  /// Does not return: prints what is still to be undone by hand, and ends the program.
  std::function<void(const std::vector<fault::Debt>&)> leave;
};

struct RunOutcome {
  /// What acting alone knows: passed (ran to its end), refused, aborted, revert incomplete, inconclusive.
  ExitClass exit = ExitClass::passed;
  std::vector<std::string> messages;  ///< why, a sentence each
};

/// Called on main. Throws `Error` with `bad_usage` where the run folder cannot be made; everything else is an
/// outcome.
[[nodiscard]] RunOutcome run_suite(const RunRequest& request, const RunEnvironment& environment);

/// Everything that `run_suite` would do on the cluster, a line each; looks at the cluster and touches
/// nothing.
[[nodiscard]] std::vector<std::string> describe_run(const RunRequest& request,
                                                    const RunEnvironment& environment);

}  // namespace pgfiredrill
