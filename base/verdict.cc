#include "base/verdict.h"

namespace pgfiredrill {

const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::skipped:
      return "skipped";
    case Verdict::refused:
      return "refused";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::failed:
      return "failed";
    case Verdict::aborted:
      return "aborted";
  }
  return "inconclusive";
}

Verdict worse(Verdict a, Verdict b) noexcept {
  return a >= b ? a : b;
}

ExitClass exit_class_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::passed:
    case Verdict::skipped:
      return ExitClass::passed;
    case Verdict::refused:
      return ExitClass::preflight_refused;
    case Verdict::inconclusive:
      return ExitClass::inconclusive;
    case Verdict::failed:
      return ExitClass::expectation_failed;
    case Verdict::aborted:
      return ExitClass::aborted;
  }
  return ExitClass::inconclusive;
}

}  // namespace pgfiredrill
