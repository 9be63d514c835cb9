#pragma once

/// How a run ended, for people: the verdict, a sentence for each drill, what cannot be trusted, where the
/// rest is. On a terminal or as plain lines. Pure.

#include <cstddef>
#include <string>

#include "measure/results.h"
#include "report/terminal.h"

namespace pgfiredrill {

/// `run_folder` is where the reports lie; `width` is the terminal's, for running text.
[[nodiscard]] std::string render_run_text(const RunResult& run, const std::string& run_folder,
                                          const TerminalStyle& style, std::size_t width);

}  // namespace pgfiredrill
