#include "cli/report.h"

#include <iostream>
#include <ostream>

#include "base/error.h"
#include "base/verdict.h"
#include "cli/latency_files.h"
#include "cli/run_files.h"
#include "cli/style.h"
#include "report/run_json.h"
#include "report/run_junit.h"
#include "report/run_markdown.h"
#include "report/run_text.h"

namespace pgfiredrill {
namespace {

std::string write_latencies(const std::string& run_folder) {
  auto folder = write_latency_files(run_folder);
  if (!folder) throw Error{folder.error(), ExitClass::bad_usage};
  return *folder;
}

std::string render(const RunResult& result, const ReportCommand& command, std::size_t terminal_width) {
  switch (command.format) {
    case ReportFormat::json:
      return render_run_json(result);
    case ReportFormat::junit:
      return render_run_junit(result);
    case ReportFormat::markdown:
      return render_run_markdown(result);
    case ReportFormat::hgrm:
      return write_latencies(command.run_folder) + "\n";
    case ReportFormat::text:
      break;
  }
  return render_run_text(result, command.run_folder, TerminalStyle{colours_wanted(terminal_width)},
                         text_width(terminal_width));
}

}  // namespace

ExitClass run_report(const ReportCommand& command, std::ostream& out, std::size_t terminal_width) {
  const auto result = judge_folder(command.run_folder);
  if (!result) throw Error{result.error(), ExitClass::bad_usage};
  out << render(*result, command, terminal_width);
  // A record on a read-only medium can be judged all the same.
  if (const auto written = write_reports(*result, command.run_folder); !written) {
    std::cerr << "pgfiredrill: " << written.error().message() << '\n';
  }
  return exit_class_of(result->verdict);
}

}  // namespace pgfiredrill
