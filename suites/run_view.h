#pragma once

/// What a person sees while a suite runs, as a seam: a screen, plain lines, or nothing.

#include <string>

#include "measure/live.h"

namespace pgfiredrill {

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
