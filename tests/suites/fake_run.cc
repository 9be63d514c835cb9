#include "tests/suites/fake_run.h"

#include <algorithm>
#include <filesystem>

#include "base/process.h"
#include "base/text.h"

namespace pgfiredrill::testing {
namespace {

using namespace std::chrono_literals;

/// Runs commands here, with its own folder in place of the hosts' one.
Result<RemoteResult> run_here(const RemoteCommand& command, const std::string& folder) {
  ProcessRequest request{.argv = command.argv, .input = command.input};
  for (std::string& argument : request.argv) {
    const auto at = argument.find(fault::kHostFolder);
    if (at == 0) argument.replace(0, std::string{fault::kHostFolder}.size(), folder);
  }
  SystemProcessRunner runner;
  const auto result = runner.run(request);
  if (!result) return result.error();
  return RemoteResult{result->exit_status, result->out, result->err};
}

ClusterDescription three_members() {
  ClusterDescription cluster;
  cluster.name = "postgres-cluster";
  cluster.settings.loop_wait = {std::chrono::seconds{10}, "test"};
  cluster.settings.server_login_retry = {std::chrono::seconds{1}, "test"};
  for (int i = 1; i <= 3; ++i) {
    const std::string number = std::to_string(i);
    const std::string address = "10.77.0.1" + number;
    cluster.hosts.push_back({.name = "pg" + number,
                             .address = address,
                             .roles = {HostRole::postgres, HostRole::balancer, HostRole::consensus}});
    Member member;
    member.name = "pgnode0" + number;
    member.host = "pg" + number;
    member.postgres = {address, 5432};
    member.role = i == 1 ? "leader" : "replica";
    member.state = "running";
    cluster.members.push_back(member);
    cluster.consensus.push_back({.name = "pg" + number, .healthy = true});
    for (const auto& [port, role] :
         {std::pair{5000, EntryPointRole::primary}, {5001, EntryPointRole::replica}}) {
      EntryPoint point;
      point.role = role;
      point.host = "pg" + number;
      point.listener = role == EntryPointRole::primary ? "master" : "replicas";
      point.address = {address, port};
      for (int server = 1; server <= 3; ++server) {
        point.servers.push_back({.name = "pgnode0" + std::to_string(server),
                                 .address = {"10.77.0.1" + std::to_string(server), 6432},
                                 .status = "UP"});
      }
      cluster.entry_points.push_back(point);
    }
  }
  return cluster;
}

Suite two_drills() {
  Suite suite{.name = "test", .description = "", .source = "test"};
  for (const char* name : {"first", "second"}) {
    DrillSpec drill;
    drill.plan.name = name;
    drill.plan.fault = {"patroni-switchover", "leader"};
    drill.plan.baseline_s = 5;
    drill.plan.observe_s = 10;
    drill.plan.health_deadline_s = 60;
    suite.drills.push_back(drill);
  }
  return suite;
}

std::string field(const std::string& body, const std::string& name) {
  const std::string key = "\"" + name + "\":\"";
  const auto at = body.find(key);
  if (at == std::string::npos) return {};
  const auto begin = at + key.size();
  return body.substr(begin, body.find('"', begin) - begin);
}

}  // namespace

std::string all(const RunOutcome& outcome) {
  std::string text;
  for (const std::string& message : outcome.messages) text += message + "\n";
  return text;
}

class FakeRun::Probe final : public ClusterProbe {
 public:
  explicit Probe(FakeRun& run) : run_{run} {}
  ClusterSnapshot look() override {
    run_.now.at = run_.clock_.monotonic();
    return run_.now;
  }

 private:
  FakeRun& run_;
};

class FakeRun::Ledger final : public LedgerStore {
 public:
  explicit Ledger(FakeRun& run) : run_{run} {}

  Result<std::optional<std::string>> find_foreign(const std::string&) override { return run_.foreign; }
  Result<void> create(const std::string& member, const TrafficAccess&, int) override {
    run_.steps.push_back("create on " + member);
    note_if_observed("create");
    if (run_.create_fails) return *run_.create_fails;
    run_.database_is_there = true;
    return {};
  }
  Result<void> drop(const std::string& member) override {
    run_.steps.push_back("drop on " + member);
    note_if_observed("drop");
    if (run_.drop_fails) return *run_.drop_fails;
    run_.database_is_there = false;
    return {};
  }
  Result<void> end_sessions(const std::string&, nanoseconds) override { return {}; }
  Result<Fence> fence(const std::string&) override {
    note_if_observed("fence");
    return Fence{"0/5000000", 5};
  }
  Result<LedgerReadback> read(const std::string&, const Fence&, std::uint16_t first, std::uint16_t,
                              nanoseconds) override {
    return LedgerReadback{.runs = {{first, 1, 10, 1}}, .rows = 10, .timeline = 5, .replay_lsn = "0/5000000"};
  }

 private:
  void note_if_observed(const std::string& call) {
    if (run_.observing_) run_.done_while_observed.push_back(call);
  }

  FakeRun& run_;
};

class FakeRun::Questions final : public PreflightQuestions {
 public:
  explicit Questions(FakeRun& run) : run_{run} {}
  PreflightFacts ask(const std::string&) override { return run_.facts; }
  Result<WrittenRows> count_written(const std::string&) override {
    if (!run_.written) return run_.written;
    const WrittenRows now = *run_.written;
    run_.written->by_database["app"] += run_.written_between;
    return now;
  }

 private:
  FakeRun& run_;
};

class FakeRun::FakeObserver final : public ServerObserver {
 public:
  explicit FakeObserver(FakeRun& run) : run_{run} { run_.observing_ = true; }
  ~FakeObserver() override { run_.observing_ = false; }
  FakeObserver(const FakeObserver&) = delete;
  FakeObserver& operator=(const FakeObserver&) = delete;

 private:
  FakeRun& run_;
};

/// Every canary is due when the clock says so; its outcome is what `paths_answer` says.
class FakeRun::FakeTraffic final : public Traffic {
 public:
  FakeTraffic(FakeRun& run, TrafficOptions options, std::unique_ptr<OperationWriter> writer,
              Recorder& recorder)
      : run_{run}, options_{std::move(options)}, writer_{std::move(writer)}, recorder_{recorder} {
    run_.traffic_ = this;
  }
  ~FakeTraffic() override { run_.traffic_ = nullptr; }

  std::vector<PathTrouble> warm_up(nanoseconds) override {
    std::vector<PathTrouble> troubles;
    for (const auto& [path, text] : run_.login_troubles) troubles.push_back({path, text});
    return troubles;
  }
  void start(std::uint16_t first_stream) override {
    run_.steps.push_back("traffic from stream " + std::to_string(first_stream));
    recorder_.add({.kind = event::kTrafficStarted, .at = run_.clock_.monotonic()});
    next_ = run_.clock_.monotonic();
    on_ = true;
  }
  void stop() override {
    if (on_) recorder_.add({.kind = event::kTrafficStopped, .at = run_.clock_.monotonic()});
    on_ = false;
  }
  void disconnect() override {}

  void advance(nanoseconds now) {
    while (on_ && next_ + 20ms < now) {
      for (std::size_t path = 0; path < options_.paths.size(); ++path) record(path);
      next_ += 20ms;
    }
  }

 private:
  void record(std::size_t path) {
    if (options_.paths[path].purpose != Purpose::canary) return;
    Operation operation;
    operation.path = static_cast<std::uint16_t>(path);
    operation.due = next_;
    operation.sent_after = nanoseconds{0};
    operation.done_after = 1ms;
    operation.outcome = run_.paths_answer ? Outcome::acknowledged : Outcome::failed;
    if (!run_.paths_answer) operation.error = Trouble::refused;
    writer_->append(operation);
  }

  FakeRun& run_;
  TrafficOptions options_;
  std::unique_ptr<OperationWriter> writer_;
  Recorder& recorder_;
  nanoseconds next_{0};
  bool on_ = false;
};

class FakeRun::FakeClients final : public ApplicationClients {
 public:
  FakeClients(FakeRun& run, std::size_t clients) : run_{run} {
    run_.client_steps.push_back(std::to_string(clients) + " clients");
  }
  ~FakeClients() override { run_.client_steps.emplace_back("closed"); }

  void open(std::size_t drill, std::size_t repeat, nanoseconds) override {
    run_.client_steps.push_back("open for " + std::to_string(drill) + "." + std::to_string(repeat));
    open_ = true;
  }
  void fault_sent(nanoseconds) override { run_.client_steps.emplace_back("fault"); }
  void finish() override {
    if (open_) run_.client_steps.emplace_back("finish");
    open_ = false;
  }

 private:
  FakeRun& run_;
  bool open_ = false;
};

class FakeRun::FakeFault final : public fault::Fault {
 public:
  FakeFault(FakeRun& run, const FaultSpec& spec) : run_{run}, spec_{spec} {}

  Result<void> aim(const ClusterSnapshot& now) override {
    if (const auto fails = run_.aim_fails.find(spec_.target); fails != run_.aim_fails.end())
      return fails->second;
    if (now.leader() == nullptr) return Failure{.what = "aim", .came_back = "nobody leads"};
    target_ = now.leader()->name;
    return {};
  }
  Result<void> arm() override {
    if (!run_.arming_shows) return {};
    run_.steps.push_back("arm on " + target_);
    if (run_.arm_fails) return *run_.arm_fails;
    return {};
  }
  const std::string& target() const noexcept override { return target_; }
  std::vector<std::string> describe() const override { return {"hit " + target_}; }
  Result<void> inject() override {
    run_.steps.push_back("inject on " + target_);
    if (run_.inject_fails) return *run_.inject_fails;
    if (run_.effect) run_.effect();
    return {};
  }
  fault::Evidence verify(nanoseconds) override { return {run_.fault_takes, "seen"}; }
  fault::Evidence verify_held() override {
    if (!run_.fault_stays) return {false, "somebody has undone it"};
    run_.steps.push_back("still " + spec_.kind);
    return {true, "there"};
  }
  Result<void> revert() override {
    run_.steps.emplace_back("revert");
    if (run_.revert_fails) return *run_.revert_fails;
    return {};
  }
  fault::Evidence verify_reverted() override { return {true, "gone"}; }
  std::vector<std::string> by_hand() const override { return {"on pg1: undo it"}; }

 private:
  FakeRun& run_;
  FaultSpec spec_;
  std::string target_;
};

class FakeRun::View final : public RunView {
 public:
  explicit View(FakeRun& run) : run_{run} {}

  void show(const RunProgress&) override {
    if (run_.traffic_ != nullptr) run_.traffic_->advance(run_.clock_.monotonic());
  }
  void begin(const RunProgress& progress) override {
    run_.stages.push_back(progress.stage);
    if (run_.on_stage) run_.on_stage(progress.stage);
  }
  void say(const std::string&) override {}

 private:
  FakeRun& run_;
};

FakeRun::FakeRun()
    : suite{two_drills()},
      cluster{three_members()},
      http_{[this](const HttpAddress&, const HttpRequest& request) { return answer(request); }} {
  environment_.set("XDG_STATE_HOME", folder_ / "state");
  for (const HostDescription& host : cluster.hosts) {
    host_folders_.push_back(std::make_unique<TemporaryDirectory>());
    const std::string path = host_folders_.back()->path().string();
    hosts_.push_back(std::make_unique<FakeHost>(
        host.name, [path](const RemoteCommand& command) { return run_here(command, path); }));
  }
  for (const Member& member : cluster.members) {
    PatroniMember seen;
    seen.name = member.name;
    seen.api_url = "https://" + member.postgres.host + ":8008/patroni";
    seen.host = member.postgres.host;
    seen.port = 5432;
    now.members.push_back(seen);
    now.servers[member.name] = {.answered = true, .postmaster_start = "1000" + member.name.substr(7)};
  }
  for (const ConsensusMember& member : cluster.consensus) now.consensus_healthy.insert(member.name);
  now.archiver = ArchiverState{.on = true};
  lead("pgnode01");
  effect = [this] { lead("pgnode02"); };
}

FakeRun::~FakeRun() = default;

void FakeRun::lead(const std::string& leader) {
  const std::int64_t timeline = now.members.front().timeline.value_or(3) + 1;
  std::set<std::string> replicas;
  for (PatroniMember& member : now.members) {
    const bool leads = member.name == leader;
    member.role = leads ? "leader" : "replica";
    member.state = leads ? "running" : "streaming";
    member.timeline = timeline;
    member.lag_bytes = leads ? std::optional<std::int64_t>{} : 0;
    now.servers[member.name].in_recovery = !leads;
    if (!leads) replicas.insert(member.name);
  }
  for (const HostDescription& host : cluster.hosts) {
    now.balancers[host.name] = {{EntryPointRole::primary, {leader}}, {EntryPointRole::replica, replicas}};
  }
}

std::vector<Host*> FakeRun::hosts() const {
  std::vector<Host*> hosts;
  for (const auto& host : hosts_) hosts.push_back(host.get());
  return hosts;
}

void FakeRun::lock_by(const std::string& run_id) {
  fault::HostLocks{hosts(), run_id, "somebody@elsewhere"}.take().value();
}

std::string FakeRun::leader() const {
  const PatroniMember* leader = now.leader();
  return leader == nullptr ? "" : leader->name;
}

Result<HttpResponse> FakeRun::answer(const HttpRequest& request) {
  if (request.path == "/history") return HttpResponse{.status = 200, .headers = {}, .body = "[]"};
  if (rest_denies) return HttpResponse{.status = 401, .headers = {}, .body = "no auth header received"};
  if (field(request.body, "leader").empty()) {
    return HttpResponse{
        .status = 400, .headers = {}, .body = "Switchover could be performed only from a specific leader"};
  }
  steps.push_back("switchover to " + field(request.body, "candidate"));
  lead(field(request.body, "candidate"));
  return HttpResponse{.status = 200, .headers = {}, .body = "Successfully switched over"};
}

RunRequest FakeRun::request() const {
  return {.suite = suite,
          .seed = 7,
          .keep_leader = keep_leader,
          .run_id = "20260301T120000Z-test",
          .run_folder = run_folder(),
          .argv = {"pgfiredrill", "run"},
          .repro = "pgfiredrill run test",
          .tool_version = "0",
          .overrides = overrides,
          .accept_data_loss = accept_data_loss,
          .guard = guard,
          .continues = continues};
}

template <typename Use>
auto FakeRun::with_environment(const Use& use) {
  Probe watch{*this};
  Probe probe{*this};
  Ledger ledger{*this};
  Questions questions{*this};
  View view{*this};
  auto opened = fault::Journal::open(cluster.name).value();
  fault::HostLocks locks{hosts(), request().run_id, fault::this_owner()};
  const RunEnvironment environment{
      .cluster = cluster,
      .http = http_,
      .hosts = [this](const std::string& name) -> Host& {
        return **std::find_if(hosts_.begin(), hosts_.end(),
                              [&](const auto& host) { return host->name() == name; });
      },
      .watch_probe = watch,
      .fault_probe = probe,
      .journal = *opened,
      .locks = locks,
      .ledger = ledger,
      .questions = questions,
      .helper = helper_,
      .power = {},
      .clock = clock_,
      .background = background_,
      .view = view,
      .make_traffic = [this](TrafficOptions options, Recorder& recorder,
                             Clock&) -> Result<std::unique_ptr<Traffic>> {
        auto writer = recorder.open_operations("traffic");
        if (!writer) return writer.error();
        return std::make_unique<FakeTraffic>(*this, std::move(options), std::move(*writer), recorder);
      },
      .make_clients = [this](ApplicationClientsOptions options, Recorder&,
                             Clock&) { return std::make_unique<FakeClients>(*this, options.clients.size()); },
      .login_cost = [this](const TrafficAccess&) { return login_cost; },
      .make_observer = [this](const TrafficAccess&, Recorder&,
                              Clock&) { return std::make_unique<FakeObserver>(*this); },
      .storm_logins = [this](const LoginStorm& storm, Recorder&, Clock&) -> Result<LoginRate> {
        steps.push_back("storm " + storm.path.entrypoint);
        return LoginRate{.concurrency = storm.concurrency, .over_s = 3, .logins = 300, .threads = 2};
      },
      .make_fault =
          [this](const FaultSpec& spec, fault::Tools tools) {
            fault_ids.push_back(tools.id);
            return std::make_unique<FakeFault>(*this, spec);
          },
      .interrupts = [this] { return interrupts; },
      .leave = [this](const auto&) { left = true; }};
  return use(request(), environment);
}

RunOutcome FakeRun::run() {
  return with_environment([](const RunRequest& request, const RunEnvironment& environment) {
    return run_suite(request, environment);
  });
}

std::vector<std::string> FakeRun::describe() {
  return with_environment([](const RunRequest& request, const RunEnvironment& environment) {
    return describe_run(request, environment);
  });
}

std::vector<fault::OpenRun> FakeRun::journal() const {
  return fault::Journal::open(cluster.name).value()->open_runs().value();
}

std::vector<std::string> FakeRun::host_files() const {
  std::vector<std::string> files;
  for (const auto& folder : host_folders_) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator{folder->path()}) {
      // What the scripts lock each other out with stays, empty, and so does the stamp.
      const bool guard_file = entry.path().filename() == "guard";
      const bool stamp = entry.path().filename() == "last-disruptive";
      if (entry.is_regular_file() && !guard_file && !stamp) files.push_back(entry.path().string());
    }
  }
  return files;
}

void FakeRun::stamp_by(const std::string& run_id, int seconds_ago) {
  const auto today =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  for (const auto& folder : host_folders_) {
    folder->write("last-disruptive",
                  "run " + run_id + "\nat " + std::to_string(today.count() - seconds_ago) + "\n");
  }
}

int FakeRun::stamps() const {
  std::vector<Failure> not_reached;
  const auto states = fault::HostLocks{hosts(), request().run_id, "me"}.look(not_reached);
  return static_cast<int>(std::count_if(states.begin(), states.end(), [&](const fault::HostState& state) {
    return state.broken_by == request().run_id;
  }));
}

std::vector<Event> FakeRun::events() const {
  return RunReader::open(run_folder()).value().events();
}

std::string FakeRun::run_folder() const {
  return folder_ / "runs/20260301T120000Z-test";
}

}  // namespace pgfiredrill::testing
