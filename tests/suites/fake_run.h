#pragma once

/// A whole run without a cluster: what the cluster is, what traffic sees and what the fault does are what a
/// test says; journal, locks (their real scripts, in a folder of this machine), record and clock rules are
/// the program's own.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/run_reader.h"
#include "suites/run.h"
#include "tests/support/environment_guard.h"
#include "tests/support/fake_host.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/inline_background.h"
#include "tests/support/simulated_clock.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::testing {

/// What the run said, a line each.
[[nodiscard]] std::string all(const RunOutcome& outcome);

/// pg1 to pg3 with members pgnode01 to pgnode03; pgnode01 leads on timeline 4.
class FakeRun {
 public:
  FakeRun();
  ~FakeRun();

  [[nodiscard]] RunOutcome run();
  [[nodiscard]] std::vector<std::string> describe();

  // ---- what a test may change before or, from `on_stage`, during the run
  Suite suite;
  ClusterDescription cluster;
  ClusterSnapshot now;  ///< what every look sees
  bool keep_leader = false;
  std::set<std::string> overrides;
  bool accept_data_loss = false;
  std::vector<GuardLimit> guard;
  ContinuedRun continues;
  PreflightFacts facts;                         ///< what the servers say of their own work
  Result<WrittenRows> written = WrittenRows{};  ///< by others, until now
  std::int64_t written_between = 0;             ///< that come in `app` from one question to the next
  int interrupts = 0;
  bool paths_answer = true;
  std::map<std::string, std::string> login_troubles;  ///< path → text
  Result<double> login_cost = 0.0;
  std::optional<Failure> create_fails;
  std::optional<Failure> drop_fails;
  std::optional<Failure> inject_fails;
  bool arming_shows = false;  ///< arming stands among the steps
  std::optional<Failure> arm_fails;
  std::optional<Failure> revert_fails;
  std::map<std::string, Failure> aim_fails;  ///< by the target that the suite names
  bool fault_takes = true;
  bool fault_stays = true;  ///< until its revert
  bool rest_denies = false;
  std::optional<std::string> foreign;
  /// What the fault does to the cluster; by default pgnode02 leads on the next timeline.
  std::function<void()> effect;
  /// Called once when a stage is first shown.
  std::function<void(const std::string& stage)> on_stage;

  /// Somebody else's run takes the lock on every host.
  void lock_by(const std::string& run_id);
  void lead(const std::string& member);
  [[nodiscard]] std::string leader() const;

  // ---- what a test looks at
  std::vector<std::string> stages;
  std::vector<std::string> steps;  ///< create, inject, revert, switchover to X, drop …, in their order
  std::vector<std::string> done_while_observed;  ///< create, fence, drop
  std::vector<std::string> client_steps;         ///< "15 clients", "open for 0.0", fault, finish, closed
  std::vector<std::string> fault_ids;            ///< what each fault was called on its targets
  bool database_is_there = false;
  bool left = false;
  [[nodiscard]] std::vector<fault::OpenRun> journal() const;
  [[nodiscard]] std::vector<std::string> host_files() const;  ///< what is left on the hosts, with its folder
  /// Another run has broken something, so many seconds ago.
  void stamp_by(const std::string& run_id, int seconds_ago);
  [[nodiscard]] int stamps() const;  ///< hosts that this run has left its stamp on
  [[nodiscard]] std::vector<Event> events() const;
  [[nodiscard]] std::string run_folder() const;

 private:
  class Probe;
  class Ledger;
  class Questions;
  class View;
  class FakeFault;
  class FakeTraffic;
  class FakeClients;
  class FakeObserver;

  template <typename Use>
  auto with_environment(const Use& use);
  [[nodiscard]] RunRequest request() const;
  [[nodiscard]] std::vector<Host*> hosts() const;
  Result<HttpResponse> answer(const HttpRequest& request);

  TemporaryDirectory folder_;
  EnvironmentGuard environment_;
  SimulatedClock clock_;
  fault::Helper helper_{true};
  FakeHttpClient http_;
  InlineBackground background_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<std::unique_ptr<TemporaryDirectory>> host_folders_;
  FakeTraffic* traffic_ = nullptr;
  bool observing_ = false;
};

}  // namespace pgfiredrill::testing
