#include "cli/heal.h"

#include <iostream>
#include <ostream>

#include "base/error.h"
#include "cli/cluster_source.h"
#include "cli/power_command.h"
#include "cli/run_files.h"
#include "fault-injectors/heal.h"
#include "suites/ledger_store.h"

namespace pgfiredrill {
namespace {

/// On whoever leads now: database and role are dropped on every server with it.
Result<void> drop_traffic(ClusterProbe& probe, LedgerStore& ledger) {
  const ClusterSnapshot now = probe.look();
  const PatroniMember* leader = now.leader();
  if (leader != nullptr) return ledger.drop(leader->name);
  return Failure{.kind = FailureKind::missing,
                 .what = "drop the traffic's database and role",
                 .came_back = "nobody leads the cluster now",
                 .hint = "Bring a leader up and heal again."};
}

ExitClass tell(const fault::HealReport& report, std::ostream& out) {
  for (const std::string& sentence : report.done) out << sentence << '\n';
  if (report.done.empty() && report.left.empty()) out << "There is nothing to undo.\n";
  if (report.left.empty()) return ExitClass::passed;
  out << "Still to do:\n";
  for (const std::string& sentence : report.left) out << "  " << sentence << '\n';
  return ExitClass::revert_incomplete;
}

}  // namespace

ExitClass run_heal(const HealCommand& command, std::ostream& out) {
  SystemProcessRunner processes;
  const auto power = power_switch(command.power, processes);
  if (!power) throw Error{power.error(), ExitClass::bad_usage};
  SystemClock clock;
  const auto log = make_stderr_log(command.verbose ? LogLevel::debug : LogLevel::error);
  ClusterConnection connection{command.source, clock, *log};
  connection.require_name(ExitClass::inconclusive);
  const ClusterDescription& cluster = connection.description();
  const HostFinder hosts = [&](const std::string& name) -> Host& { return connection.host(name); };
  const auto probe = make_cluster_probe(cluster, connection.http(), hosts, clock);
  SystemLedgerStore ledger{cluster, hosts};
  const fault::Helper helper{true};
  const std::string run_id = choose_run_folder("", "heal", clock.wall()).id;
  const auto journal = fault::Journal::open(cluster.name);
  const fault::HealSeams seams{.tools = {.cluster = cluster,
                                         .http = connection.http(),
                                         .hosts = hosts,
                                         .probe = *probe,
                                         .clock = clock,
                                         .helper = helper,
                                         .id = run_id,
                                         .power = *power},
                               .journal = journal ? journal->get() : nullptr,
                               .hosts = connection.hosts_to_lock(),
                               .drop_traffic = [&] { return drop_traffic(*probe, ledger); },
                               .say = [&](const std::string& sentence) { out << sentence << std::endl; }};
  const auto report = fault::heal(seams, run_id);
  if (!report) throw Error{report.error(), ExitClass::preflight_refused};
  return tell(*report, out);
}

}  // namespace pgfiredrill
