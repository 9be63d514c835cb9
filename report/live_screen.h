#pragma once

/// What a person sees while a drill runs: a screen that is drawn again and again, or a line now and then
/// where there is no terminal. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measure/live.h"
#include "report/terminal.h"

namespace pgfiredrill {

struct LiveScreen {
  std::string suite;
  std::string cluster;
  std::string drill;
  std::size_t drill_number = 0;  ///< from 1; 0: before the first
  std::size_t drill_count = 0;
  int repeat = 0;  ///< from 1
  int repeats = 0;
  std::string stage;
  double stage_s = 0;                ///< since the stage began
  std::optional<double> stage_of_s;  ///< how long it will take, where that is known
  std::optional<double> since_injection_s;
  double elapsed_s = 0;           ///< since the run began
  std::string topology;           ///< one line
  std::vector<std::string> gaps;  ///< what is missing to full health
  /// Grouped on the screen by entry point: what stands before the first '/' of the id.
  std::vector<LivePath> paths;
  std::string notice;  ///< of the guard, or what a person should know now; empty: nothing
};

/// At most `height` lines of at most `width` columns, without line breaks. Where not every path fits, the
/// ones that are up are counted in one line; what is down always comes before them.
[[nodiscard]] std::vector<std::string> render_live_screen(const LiveScreen& screen,
                                                          const TerminalStyle& style, std::size_t width,
                                                          std::size_t height);

/// One line for logs: `t+12.4s observe  pg1:5000 RW fresh DOWN 3.2 s (08P01 x41), 13 more up`.
[[nodiscard]] std::string render_live_line(const LiveScreen& screen);

}  // namespace pgfiredrill
