#include "cli/run.h"

#include <cstdlib>
#include <iostream>
#include <ostream>

#include <unistd.h>

#include "base/error.h"
#include "base/verdict.h"
#include "cli/cluster_source.h"
#include "cli/interrupts.h"
#include "cli/power_command.h"
#include "cli/run_files.h"
#include "cli/run_screen.h"
#include "cli/style.h"
#include "cluster/ssh_host.h"
#include "report/run_text.h"
#include "suites/login_cost.h"
#include "suites/run.h"

namespace pgfiredrill {
namespace {

Suite choose_suite(const RunCommand& command) {
  auto suite = load_suite(command.suite);
  if (suite && !command.filter.empty()) suite = filter_drills(std::move(*suite), command.filter);
  if (!suite) throw Error{suite.error(), ExitClass::bad_usage};
  if (command.repeat) {
    for (DrillSpec& drill : suite->drills) drill.plan.repeats = *command.repeat;
  }
  return std::move(*suite);
}

/// Refused before anything is touched where the user means another cluster.
void check_confirmed(const RunCommand& command, const ClusterDescription& cluster) {
  if (command.dry_run) return;
  if (cluster.name == command.confirm) return;
  throw Error{{.kind = FailureKind::failed,
               .what = "run on '" + one_line(command.confirm) + "'",
               .where = command.source.inventory,
               .came_back = "the cluster there is called '" + one_line(cluster.name) + "'",
               .hint = "Give the name of the cluster that you mean to break with --confirm."},
              ExitClass::bad_usage};
}

fault::PowerSwitch choose_power(const RunCommand& command, ProcessRunner& processes) {
  auto power = power_switch(command.power, processes);
  if (!power) throw Error{power.error(), ExitClass::bad_usage};
  return std::move(*power);
}

ContinuedRun choose_continued(const RunCommand& command, const Suite& suite,
                              const ClusterDescription& cluster) {
  if (command.resume.empty()) return {};
  const auto before = judge_folder(command.resume);
  if (!before) throw Error{before.error(), ExitClass::bad_usage};
  auto continued = continue_run(*before, suite.name, cluster);
  if (!continued) throw Error{continued.error(), ExitClass::bad_usage};
  return std::move(*continued);
}

/// A line that runs the same drills with the same random times again.
std::string repro_line(const RunCommand& command, std::uint64_t seed) {
  std::string line = "pgfiredrill run " + shell_quote(command.suite) + " -i " +
                     shell_quote(command.source.inventory) + " --confirm " + shell_quote(command.confirm) +
                     " --seed " + std::to_string(seed);
  if (!command.filter.empty()) line += " --filter " + shell_quote(command.filter);
  if (command.repeat) line += " --repeat " + std::to_string(*command.repeat);
  if (command.keep_leader) line += " --keep-leader";
  for (const std::string& name : command.overrides) line += " --override " + shell_quote(name);
  if (command.accept_data_loss) line += " --accept-data-loss";
  return line;
}

std::uint64_t choose_seed(const RunCommand& command, const Clock& clock) {
  if (command.seed) return *command.seed;
  return static_cast<std::uint64_t>(clock.wall().count() / 1'000) % 1'000'000'007U;
}

/// The third interrupt: what a person has to do by hand, and out. Destructors would wait for what hangs.
[[noreturn]] void leave(const RunCommand& command, const std::vector<fault::Debt>& debts) {
  std::cerr << "\npgfiredrill: left at once. Still to be undone:\n";
  for (const fault::Debt& debt : debts) {
    std::cerr << "  " << debt.kind << ' ' << debt.name << (debt.detail.empty() ? "" : " on ") << debt.detail
              << '\n';
  }
  std::cerr << "  This undoes it: pgfiredrill heal -i " << shell_quote(command.source.inventory) << '\n';
  std::cerr.flush();
  std::_Exit(static_cast<int>(ExitClass::revert_incomplete));
}

std::unique_ptr<ServerObserver> observe(const ClusterDescription& cluster, const HostFinder& hosts,
                                        const TrafficAccess& access, Recorder& recorder, Clock& clock) {
  const ConnectParameters login{.database = access.database,
                                .user = access.user,
                                .password = access.password,
                                .sslmode = access.sslmode};
  const auto open_route = [&cluster, hosts](const std::string& member) {
    return open_route_to(cluster, hosts, member);
  };
  return ServerObserver::start(servers_to_observe(cluster, login), open_route, recorder, clock);
}

class Runner {
 public:
  Runner(const RunCommand& command, std::ostream& out, std::size_t terminal_width)
      : command_{command},
        out_{out},
        terminal_width_{terminal_width},
        suite_{choose_suite(command)},
        power_{choose_power(command, processes_)},
        log_{make_stderr_log(command.verbose ? LogLevel::debug : LogLevel::error)},
        connection_{command.source, clock_, *log_} {}

  ExitClass run() {
    connection_.require_name(ExitClass::preflight_refused);
    check_confirmed(command_, connection_.description());
    const std::uint64_t seed = choose_seed(command_, clock_);
    const RunFolder folder = choose_run_folder(command_.output, suite_.name, clock_.wall());
    const RunRequest request{.suite = suite_,
                             .seed = seed,
                             .keep_leader = command_.keep_leader,
                             .run_id = folder.id,
                             .run_folder = folder.path,
                             .argv = command_.argv,
                             .repro = repro_line(command_, seed),
                             .tool_version = PGFIREDRILL_VERSION,
                             .overrides = {command_.overrides.begin(), command_.overrides.end()},
                             .accept_data_loss = command_.accept_data_loss,
                             .guard = command_.guard,
                             .continues = choose_continued(command_, suite_, connection_.description())};
    const auto journal = fault::Journal::open(connection_.description().name);
    if (!journal) throw Error{journal.error(), ExitClass::bad_usage};
    const HostFinder hosts = [this](const std::string& name) -> Host& { return connection_.host(name); };
    fault::HostLocks locks{connection_.hosts_to_lock(), folder.id, fault::this_owner()};
    const auto watch_probe = make_cluster_probe(connection_.description(), connection_.http(), hosts, clock_);
    const auto fault_probe = make_cluster_probe(connection_.description(), connection_.http(), hosts, clock_);
    const fault::Helper helper{command_.with_sudo};
    SystemLedgerStore ledger{connection_.description(), hosts};
    SystemPreflightQuestions questions{connection_.description(), connection_.http(), hosts, clock_};
    SystemSqlAccess sql;
    ThreadBackground background;
    RunScreen screen{out_, terminal_width_};
    const RunEnvironment environment{
        .cluster = connection_.description(),
        .http = connection_.http(),
        .hosts = hosts,
        .watch_probe = *watch_probe,
        .fault_probe = *fault_probe,
        .journal = **journal,
        .locks = locks,
        .ledger = ledger,
        .questions = questions,
        .helper = helper,
        .power = power_,
        .clock = clock_,
        .background = background,
        .view = screen,
        .make_traffic = &Traffic::create,
        .make_clients = &ApplicationClients::create,
        .login_cost =
            [&](const TrafficAccess& access) {
              return measure_login_cost(connection_.description(), hosts, sql, access);
            },
        .make_observer =
            [&](const TrafficAccess& access, Recorder& recorder, Clock& clock) {
              return observe(connection_.description(), hosts, access, recorder, clock);
            },
        .storm_logins = &storm_logins,
        .make_fault = &make_fault,
        .interrupts = &interrupts,
        .leave = [this](const auto& debts) { leave(command_, debts); }};
    if (command_.dry_run) return print_plan(request, environment);
    count_interrupts();
    const RunOutcome outcome = run_suite(request, environment);
    screen.close();
    link_latest(folder);
    return report(outcome, folder);
  }

 private:
  static std::unique_ptr<fault::Fault> make_fault(const FaultSpec& spec, fault::Tools tools) {
    return fault::find_fault_kind(spec.kind)->make(spec, tools);
  }

  ExitClass print_plan(const RunRequest& request, const RunEnvironment& environment) {
    for (const std::string& line : describe_run(request, environment)) out_ << line << '\n';
    out_ << "Nothing was touched.\n";
    return ExitClass::passed;
  }

  ExitClass report(const RunOutcome& outcome, const RunFolder& folder) {
    const auto result = judge_folder(folder.path);
    if (!result) throw Error{result.error(), ExitClass::internal_error};
    const auto written = write_reports(*result, folder.path);
    if (!written) std::cerr << "pgfiredrill: " << written.error().message() << '\n';
    out_ << render_run_text(*result, folder.path, TerminalStyle{colours_wanted(terminal_width_)},
                            text_width(terminal_width_));
    out_.flush();
    for (const std::string& message : outcome.messages) std::cerr << "pgfiredrill: " << message << '\n';
    return more_serious(outcome.exit, exit_class_of(result->verdict));
  }

  const RunCommand& command_;
  std::ostream& out_;
  const std::size_t terminal_width_;
  const Suite suite_;
  SystemProcessRunner processes_;
  const fault::PowerSwitch power_;
  SystemClock clock_;
  std::unique_ptr<Log> log_;
  ClusterConnection connection_;
};

}  // namespace

ExitClass run_drills(const RunCommand& command, std::ostream& out, std::size_t terminal_width) {
  return Runner{command, out, terminal_width}.run();
}

}  // namespace pgfiredrill
