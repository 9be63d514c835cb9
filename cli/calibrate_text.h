#pragma once

/// What a calibration found, for people and for machines. Pure.

#include <string>

#include "calibration/calibration.h"
#include "report/terminal.h"

namespace pgfiredrill {

[[nodiscard]] std::string render_calibration_text(const CalibrationResult& result, const TerminalStyle& style,
                                                  std::size_t width);
[[nodiscard]] std::string render_calibration_json(const CalibrationResult& result);

/// "passed", "failed", "inconclusive".
[[nodiscard]] const char* calibration_verdict(const CalibrationResult& result);

}  // namespace pgfiredrill
