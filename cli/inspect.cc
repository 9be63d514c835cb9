#include "cli/inspect.h"

#include <cstdlib>
#include <ostream>

#include "base/clock.h"
#include "base/log.h"
#include "cli/cluster_source.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kPlainWidth = 100;

bool colours_wanted(std::size_t terminal_width) {
  const char* no_color = std::getenv("NO_COLOR");
  return terminal_width > 0 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

ExitClass run_inspect(const InspectCommand& command, std::ostream& out, std::size_t terminal_width) {
  SystemClock clock;
  const auto log = make_stderr_log(command.verbose ? LogLevel::debug : LogLevel::error);
  const ClusterDescription cluster = discover_cluster(command.source, clock, *log);
  if (command.format == OutputFormat::json) {
    out << render_inspect_json(cluster, clock.wall(), PGFIREDRILL_VERSION);
  } else {
    out << render_inspect_text(cluster, clock.wall(), TerminalStyle{colours_wanted(terminal_width)},
                               terminal_width > 0 ? terminal_width : kPlainWidth);
  }
  return cluster.not_reached.empty() ? ExitClass::passed : ExitClass::inconclusive;
}

}  // namespace pgfiredrill
