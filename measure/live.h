#pragma once

/// The same folds while a drill runs: what the live screen shows of each path. Pure; one thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/manifest.h"
#include "record/operation.h"

namespace pgfiredrill {

enum class PathHealth { starting, up, down, partial };

struct LivePath {
  std::string id;
  PathHealth health = PathHealth::starting;
  double down_s = 0;         ///< of the window that is open now; else 0
  double longest_s = 0;      ///< longest window since `mark`, the open one included
  double unavailable_s = 0;  ///< all windows since `mark`
  double error_s = 0;        ///< since `mark`: time in which operations were answered by an error
  double stall_s = 0;        ///< since `mark`: time in which operations were late or could not be sent
  std::string last_error;    ///< class and count since `mark`: "08P01 x41"; empty: none
  std::size_t successes = 0;
  std::size_t failures = 0;
};

class LiveView {
 public:
  explicit LiveView(const RunManifest& manifest);
  ~LiveView();
  LiveView(LiveView&&) noexcept;

  /// In any order; held back until nothing earlier can come (a deadline's time).
  void on(const Operation& operation);
  /// A repeat begins or its fault is injected: counts and windows start again.
  void mark();
  /// Canary paths, in the manifest's order, as of `now`.
  [[nodiscard]] std::vector<LivePath> look(nanoseconds now);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What can be said of a run while it goes on.
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

}  // namespace pgfiredrill
