#pragma once

/// The instrument against outages that are known: real traffic over ways in that fail on purpose, recorded
/// and judged as a run is, held against when they really failed.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/failure.h"
#include "base/process.h"
#include "calibration/comparison.h"

namespace pgfiredrill {

struct CalibrationOptions {
  int outages = 20;  ///< of each kind
  std::uint64_t seed = 0;
  std::optional<OutageKind> only;
};

struct CalibrationResult {
  std::uint64_t seed = 0;
  double fresh_hz = 0;
  double pooled_hz = 0;
  std::vector<KindVerdict> verdicts;  ///< fresh, then pooled, of each kind that was run
  struct NotRun {
    OutageKind kind = OutageKind::blackhole;
    std::string reason;
  };
  std::vector<NotRun> not_run;

  [[nodiscard]] bool holds() const;
};

/// Called several times a second; false ends the calibration.
using CalibrationProgress = std::function<bool(std::size_t outages_over, std::size_t outages)>;

/// Blocks for as long as the outages take. Before this process has threads. Fails where the other side or the
/// traffic could not be had, or `progress` ended it.
[[nodiscard]] Result<CalibrationResult> calibrate(const CalibrationOptions& options, ProcessRunner& runner,
                                                  Clock& clock, const CalibrationProgress& progress);

}  // namespace pgfiredrill
