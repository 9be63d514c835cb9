#include "cli/calibrate.h"

#include <ostream>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "calibration/calibration.h"
#include "cli/calibrate_text.h"
#include "cli/interrupts.h"
#include "cli/style.h"

namespace pgfiredrill {
namespace {

CalibrationProgress progress_on(std::ostream& out, bool terminal) {
  return [&out, terminal](std::size_t over, std::size_t all) {
    if (terminal) out << "\r\033[K" << over << " of " << all << " outages" << std::flush;
    return interrupts() == 0;
  };
}

ExitClass exit_class_of(const CalibrationResult& result) {
  if (!result.holds()) return ExitClass::expectation_failed;
  return result.not_run.empty() ? ExitClass::passed : ExitClass::inconclusive;
}

}  // namespace

ExitClass run_calibrate(const CalibrateCommand& command, std::ostream& out, std::size_t terminal_width) {
  count_interrupts();
  SystemClock clock;
  SystemProcessRunner runner;
  const bool live = terminal_width > 0 && command.format == OutputFormat::text;
  const auto seed = command.seed.value_or(static_cast<std::uint64_t>(clock.wall().count()));
  const auto result = calibrate({.outages = command.outages, .seed = seed, .only = command.kind}, runner,
                                clock, progress_on(out, live));
  if (live) out << "\r\033[K";
  if (!result) {
    throw Error{result.error(), interrupts() > 0 ? ExitClass::aborted : ExitClass::inconclusive};
  }
  if (command.format == OutputFormat::json) {
    out << render_calibration_json(*result);
  } else {
    out << render_calibration_text(*result, TerminalStyle{colours_wanted(terminal_width)},
                                   text_width(terminal_width));
  }
  return exit_class_of(*result);
}

}  // namespace pgfiredrill
