#pragma once

/// How a drill, a repeat or a whole run is judged.

#include "base/exit_class.h"

namespace pgfiredrill {

enum class Verdict : unsigned char {
  passed,
  skipped,       ///< does not apply to this cluster
  refused,       ///< preflight would not let it start; nothing was touched
  inconclusive,  ///< it ran, but its numbers cannot be trusted or are not all there
  failed,        ///< an expectation did not hold
  aborted,       ///< stopped by the guard or a person, and reverted
};

[[nodiscard]] const char* to_string(Verdict verdict) noexcept;

/// The verdict of two parts together: the later of passed, skipped, refused, inconclusive, failed, aborted.
[[nodiscard]] Verdict worse(Verdict a, Verdict b) noexcept;

/// The exit code that a verdict alone stands for; a skip passes.
[[nodiscard]] ExitClass exit_class_of(Verdict verdict) noexcept;

}  // namespace pgfiredrill
