#pragma once

/// The same folds while a drill runs: what the live screen shows of each path. Pure; one thread.

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
  double down_s = 0;       ///< of the window that is open now; else 0
  double longest_s = 0;    ///< longest window since `mark`, the open one included
  std::string last_error;  ///< class and count since `mark`: "08P01 x41"; empty: none
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

}  // namespace pgfiredrill
