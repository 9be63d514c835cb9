// Parses, dispatches, and turns how it ended into an exit code. The only place that prints errors.

#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/calibrate.h"
#include "cli/command_line.h"
#include "cli/heal.h"
#include "cli/inspect.h"
#include "cli/list.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cluster/connect_parameters.h"

namespace pgfiredrill {
namespace {

/// Columns of the terminal that stdout is; 0 where it is none.
std::size_t terminal_width() {
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

struct Dispatch {
  ExitClass operator()(const InspectCommand& command) const {
    return run_inspect(command, std::cout, terminal_width());
  }
  ExitClass operator()(const RunCommand& command) const {
    return run_drills(command, std::cout, terminal_width());
  }
  ExitClass operator()(const ListCommand& command) const { return run_list(command, std::cout); }
  ExitClass operator()(const ReportCommand& command) const {
    return run_report(command, std::cout, terminal_width());
  }
  ExitClass operator()(const HealCommand& command) const { return run_heal(command, std::cout); }
  ExitClass operator()(const CalibrateCommand& command) const {
    return run_calibrate(command, std::cout, terminal_width());
  }
  ExitClass operator()(const PrintCommand& command) const {
    std::cout << command.text;
    return ExitClass::passed;
  }
  ExitClass operator()(const UsageError& error) const {
    std::cerr << error.message << '\n';
    return ExitClass::bad_usage;
  }
};

ExitClass run(int argc, const char* const* argv) {
  try {
    return std::visit(Dispatch{}, parse_command_line(argc, argv));
  } catch (const Error& error) {
    std::cerr << "pgfiredrill: " << error.what() << '\n';
    return error.exit_class();
  } catch (const std::exception& error) {
    std::cerr << "pgfiredrill: internal error: " << error.what() << '\n';
    return ExitClass::internal_error;
  }
}

}  // namespace
}  // namespace pgfiredrill

int main(int argc, char** argv) {
  pgfiredrill::forget_libpq_environment();  // before any thread starts: it changes the environment
  const auto exit_class = pgfiredrill::run(argc, argv);
  std::cout.flush();
  return static_cast<int>(exit_class);
}
