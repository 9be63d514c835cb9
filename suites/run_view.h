#pragma once

/// What a person sees while a suite runs, as a seam: a screen, plain lines, or nothing.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measure/live.h"

namespace pgfiredrill {

struct RunProgress {
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
  std::string topology;           ///< `leader pgnode01, timeline 4; pgnode02 streaming, …`
  std::vector<std::string> gaps;  ///< what is missing to full health
  std::vector<LivePath> paths;
  std::string notice;  ///< what a person should know now
};

/// Called on main.
class RunView {
 public:
  virtual ~RunView() = default;
  /// About ten times a second.
  virtual void show(const RunProgress& progress) = 0;
  /// A stage has begun.
  virtual void begin(const RunProgress& progress) = 0;
  /// A line that stays.
  virtual void say(const std::string& line) = 0;
};

}  // namespace pgfiredrill
