#include "cli/inspect.h"

#include <ostream>

#include "base/clock.h"
#include "base/log.h"
#include "cli/cluster_source.h"
#include "cli/style.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"

namespace pgfiredrill {

ExitClass run_inspect(const InspectCommand& command, std::ostream& out, std::size_t terminal_width) {
  SystemClock clock;
  const auto log = make_stderr_log(command.verbose ? LogLevel::debug : LogLevel::error);
  const ClusterConnection connection{command.source, clock, *log};
  const ClusterDescription& cluster = connection.description();
  if (command.format == OutputFormat::json) {
    out << render_inspect_json(cluster, clock.wall(), PGFIREDRILL_VERSION);
  } else {
    out << render_inspect_text(cluster, clock.wall(), TerminalStyle{colours_wanted(terminal_width)},
                               text_width(terminal_width));
  }
  return cluster.not_reached.empty() ? ExitClass::passed : ExitClass::inconclusive;
}

}  // namespace pgfiredrill
