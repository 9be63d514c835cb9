#include "cli/command_line.h"

#include <map>

#include <CLI/CLI.hpp>

#include "suites/obstacle.h"

namespace pgfiredrill {
namespace {

constexpr const char* kDescription =
    "Proves a PostgreSQL high-availability cluster (HAProxy, PgBouncer, Patroni, etcd, pgBackRest) as "
    "autobase deploys it.";

constexpr const char* kFooter = R"(
Exit codes:
  0 passed             1 an expectation failed     2 bad usage or input
  3 preflight refused  4 aborted and reverted      5 a revert is incomplete
  6 inconclusive       70 internal error)";

constexpr const char* kInspectFooter = R"(
Reads and changes nothing. Exits with 6 where some part of the cluster did not answer.

Examples:
  pgfiredrill inspect -i inventory
  pgfiredrill inspect -i inventory --vault-password-file ~/.vault --format json
  pgfiredrill inspect --patroni https://10.0.0.11:8008 --cacert ca.crt)";

void add_cluster_source(CLI::App& app, ClusterSource& source) {
  auto* inventory = app.add_option("-i,--inventory", source.inventory,
                                   "Ansible inventory of the cluster, whatever `ansible-inventory` reads")
                        ->type_name("PATH");
  app.add_option("--vault-password-file", source.vault_password_file,
                 "Password file for vault texts in the inventory")
      ->type_name("FILE")
      ->needs(inventory);
  app.add_option("--patroni", source.patroni_url, "Only Patroni's REST interface, without an inventory")
      ->type_name("URL")
      ->excludes(inventory);
  app.add_option("--cacert", source.ca_file,
                 "Authority that signs Patroni's certificates (default: what is deployed)")
      ->type_name("FILE");
}

void add_verbose(CLI::App& command, bool& verbose) {
  command.add_flag("-v,--verbose", verbose, "Say on stderr what is being done");
}

void add_inspect(CLI::App& app, InspectCommand& inspect) {
  auto* command =
      app.add_subcommand("inspect", "Members, roles, entry points, versions, and what cannot be reached");
  add_cluster_source(*command, inspect.source);
  static const std::map<std::string, OutputFormat> formats{{"text", OutputFormat::text},
                                                           {"json", OutputFormat::json}};
  command->add_option("--format", inspect.format, "text (default) or json")
      ->type_name("FORMAT")
      ->transform(CLI::CheckedTransformer(formats).description(""));
  add_verbose(*command, inspect.verbose);
  command->footer(kInspectFooter);
}

constexpr const char* kRunFooter = R"(
Drives traffic through the entry points that applications use, injects each drill's fault, measures what clients see,
and puts everything back. Nothing is touched without --confirm and the cluster's own name.

Ctrl-C stops, reverts and reports; a second one only reverts; a third one prints what is left to undo and leaves.

Examples:
  pgfiredrill run smoke -i inventory --dry-run
  pgfiredrill run smoke -i inventory --confirm postgres-cluster
  pgfiredrill run smoke -i inventory --confirm postgres-cluster --filter switchover --repeat 5)";

constexpr const char* kHealFooter = R"(
Undoes what a run that was killed has left behind: waits for full health, gives the leader's role back, drops the
traffic's database and role, removes locks. Reads the journal of this machine and the records on the hosts, so it works
from any machine. Safe to run at any time, again and again; refuses while a run is alive.)";

constexpr const char* kReportFooter = R"(
Judges the record of a run again and writes report.json, junit.xml and report.md beside it; a run that was killed is
judged as far as it goes.

Example:
  pgfiredrill report runs/latest)";

void add_power(CLI::App& command, std::string& power) {
  command
      .add_option("--power", power,
                  "Command that switches a host, run here without a shell: {action} is on or off, {host} its "
                  "name in the inventory")
      ->type_name("COMMAND");
}

/// What CLI11 shall say of a value: nothing where it will do.
std::string check_override(const std::string& name) {
  if (is_override_name(name)) return {};
  return "'" + one_line(name, 60) + "' is nothing that can be let pass; there are " + all_override_names();
}

void add_limit(RunCommand& run, const char* option, const std::string& text) {
  auto limit = parse_guard_limit(text);
  if (!limit) throw CLI::ValidationError(option, limit.error().message());
  run.guard.push_back(std::move(*limit));
}

void add_safety(CLI::App& command, RunCommand& run) {
  command
      .add_option("--override", run.overrides,
                  "Let pass what preflight refuses by this name; again for more (docs/drills.md)")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check(CLI::Validator{check_override, ""});
  command.add_flag("--accept-data-loss", run.accept_data_loss,
                   "Risk failovers under asynchronous replication although others write to the cluster");
  command
      .add_option_function<std::string>(
          "--max-outage",
          [&run](const std::string& seconds) { add_limit(run, "--max-outage", "outage_s>" + seconds); },
          "Abort and revert where a read-write path is down for longer")
      ->type_name("SECONDS");
  command
      .add_option_function<std::vector<std::string>>(
          "--abort-if",
          [&run](const std::vector<std::string>& limits) {
            for (const std::string& text : limits) add_limit(run, "--abort-if", text);
          },
          "Likewise, of " + guarded_metrics() + "; again for more")
      ->type_name("METRIC>N")
      ->allow_extra_args(false);
  command.add_option("--resume", run.resume, "Go on with that run: what it has measured is not run again")
      ->type_name("RUN");
}

void add_run(CLI::App& app, RunCommand& run) {
  auto* command = app.add_subcommand("run", "Run a suite of drills on a cluster");
  command->add_option("suite", run.suite, "A built-in suite (`pgfiredrill list suites`) or a YAML file")
      ->type_name("SUITE")
      ->required();
  add_cluster_source(*command, run.source);
  auto* confirm = command->add_option("--confirm", run.confirm, "The cluster's name: yes, break this one")
                      ->type_name("NAME");
  command->add_option("--filter", run.filter, "Only drills whose name matches")->type_name("GLOB");
  command->add_option("--repeat", run.repeat, "How often each drill is repeated")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command->add_option("--seed", run.seed, "For the random times (default: from the clock)")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);
  command->add_option("-o,--output", run.output, "Folder for runs (default: runs)")->type_name("FOLDER");
  command->add_flag("--keep-leader", run.keep_leader, "Do not give the leader's role back at the end");
  command->add_flag("--with-sudo", run.with_sudo,
                    "Lay the helper under /run of each host for this run; else it must be installed");
  add_power(*command, run.power);
  add_safety(*command, run);
  command->add_flag("--dry-run", run.dry_run, "Print everything that would be done, and touch nothing")
      ->excludes(confirm);
  add_verbose(*command, run.verbose);
  command->footer(kRunFooter);
}

void add_list(CLI::App& app, ListCommand& list) {
  auto* command = app.add_subcommand("list", "The suites, drills or faults that the program knows");
  static const std::map<std::string, ListTopic> topics{
      {"suites", ListTopic::suites}, {"drills", ListTopic::drills}, {"faults", ListTopic::faults}};
  command->add_option("topic", list.topic, "suites, drills or faults")
      ->type_name("TOPIC")
      ->required()
      ->transform(CLI::CheckedTransformer(topics).description(""));
}

void add_report(CLI::App& app, ReportCommand& report) {
  auto* command = app.add_subcommand("report", "Judge the record of a run again");
  command->add_option("run", report.run_folder, "The run's folder")->type_name("RUN")->required();
  static const std::map<std::string, ReportFormat> formats{{"text", ReportFormat::text},
                                                           {"json", ReportFormat::json},
                                                           {"junit", ReportFormat::junit},
                                                           {"markdown", ReportFormat::markdown},
                                                           {"hgrm", ReportFormat::hgrm}};
  command
      ->add_option("--format", report.format,
                   "text (default), json, junit or markdown: what goes to stdout; hgrm: latencies into "
                   "RUN/latency/")
      ->type_name("FORMAT")
      ->transform(CLI::CheckedTransformer(formats).description(""));
  command->footer(kReportFooter);
}

void add_heal(CLI::App& app, HealCommand& heal) {
  auto* command = app.add_subcommand("heal", "Undo what a run that was killed has left behind");
  add_cluster_source(*command, heal.source);
  add_power(*command, heal.power);
  add_verbose(*command, heal.verbose);
  command->footer(kHealFooter);
}

constexpr const char* kCalibrateFooter = R"(
Real traffic over ways in on this machine that fail on purpose, against a server of its own: no cluster is needed and none
is touched. Dropping packets (blackhole) is done in a network namespace of its own and needs root. Exits with 1 where a
bound does not hold, 6 where a kind could not be run.

Examples:
  pgfiredrill calibrate
  pgfiredrill calibrate --kind refuse --outages 50 --seed 7 --format json)";

void add_calibrate(CLI::App& app, CalibrateCommand& calibrate) {
  auto* command =
      app.add_subcommand("calibrate", "Measure outages that are known, and say how far the numbers are off");
  command->add_option("--outages", calibrate.outages, "How many of each kind (default: 20)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  command->add_option("--seed", calibrate.seed, "For their times (default: from the clock)")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);
  static const std::map<std::string, OutageKind> kinds = [] {
    std::map<std::string, OutageKind> named;
    for (const OutageKind kind : kOutageKinds) named.emplace(to_string(kind), kind);
    return named;
  }();
  command->add_option("--kind", calibrate.kind, "Only refuse, reset, delay or blackhole")
      ->type_name("KIND")
      ->transform(CLI::CheckedTransformer(kinds).description(""));
  static const std::map<std::string, OutputFormat> formats{{"text", OutputFormat::text},
                                                           {"json", OutputFormat::json}};
  command->add_option("--format", calibrate.format, "text (default) or json")
      ->type_name("FORMAT")
      ->transform(CLI::CheckedTransformer(formats).description(""));
  command->footer(kCalibrateFooter);
}

UsageError usage_error(const std::string& message) {
  return {"pgfiredrill: " + message + "\nTry `pgfiredrill --help` or `pgfiredrill SUBCOMMAND --help`."};
}

constexpr const char* kWhichCluster =
    "which cluster? Give its inventory (-i PATH) or Patroni's address (--patroni URL).";
constexpr const char* kConfirm =
    "a run breaks things: give the cluster's name with --confirm NAME, or look first with --dry-run.";
constexpr const char* kInventory =
    "this needs the cluster's hosts: give its inventory (-i PATH). Patroni's address alone serves `inspect`.";

/// Faults and their undoing go over SSH.
Command with_inventory(const Command& command, const ClusterSource& source) {
  return source.inventory.empty() ? Command{usage_error(kInventory)} : command;
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app{kDescription, "pgfiredrill"};
  app.footer(kFooter);
  app.set_version_flag("--version", std::string{"pgfiredrill "} + PGFIREDRILL_VERSION);
  app.require_subcommand(1);
  InspectCommand inspect;
  RunCommand run;
  ListCommand list;
  ReportCommand report;
  HealCommand heal;
  CalibrateCommand calibrate;
  add_inspect(app, inspect);
  add_run(app, run);
  add_list(app, list);
  add_report(app, report);
  add_heal(app, heal);
  add_calibrate(app, calibrate);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return PrintCommand{chosen.empty() ? app.help() : chosen.front()->help("pgfiredrill")};
  } catch (const CLI::CallForAllHelp&) {
    return PrintCommand{app.help("", CLI::AppFormatMode::All)};
  } catch (const CLI::CallForVersion&) {
    return PrintCommand{std::string{"pgfiredrill "} + PGFIREDRILL_VERSION + "\n"};
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  if (app.got_subcommand("list")) return list;
  if (app.got_subcommand("report")) return report;
  if (app.got_subcommand("calibrate")) return calibrate;
  if (app.got_subcommand("inspect")) {
    return inspect.source.names_a_cluster() ? Command{inspect} : usage_error(kWhichCluster);
  }
  if (app.got_subcommand("heal")) return with_inventory(heal, heal.source);
  run.argv.assign(argv, argv + argc);
  if (!run.dry_run && run.confirm.empty() && run.source.patroni_url.empty()) return usage_error(kConfirm);
  return with_inventory(run, run.source);
}

}  // namespace pgfiredrill
