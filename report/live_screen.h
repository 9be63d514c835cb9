#pragma once

/// What a person sees while a drill runs: a screen that is drawn again and again, or a line now and then
/// where there is no terminal. Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "measure/live.h"
#include "report/terminal.h"

namespace pgfiredrill {

/// Paths are grouped by entry point: what stands before the first '/' of the id. At most `height` lines of at
/// most `width` columns, without line breaks. Where not every path fits, the ones that are up are counted in
/// one line; what is down always comes before them.
[[nodiscard]] std::vector<std::string> render_live_screen(const RunProgress& screen,
                                                          const TerminalStyle& style, std::size_t width,
                                                          std::size_t height);

/// One line for logs: `t+12.4s observe  pg1:5000 RW fresh DOWN 3.2 s (08P01 x41), 13 more up`.
[[nodiscard]] std::string render_live_line(const RunProgress& screen);

}  // namespace pgfiredrill
