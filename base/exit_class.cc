#include "base/exit_class.h"

namespace pgfiredrill {
namespace {

constexpr int seriousness(ExitClass exit_class) noexcept {
  switch (exit_class) {
    case ExitClass::passed:
      return 0;
    case ExitClass::bad_usage:
      return 1;
    case ExitClass::preflight_refused:
      return 2;
    case ExitClass::inconclusive:
      return 3;
    case ExitClass::expectation_failed:
      return 4;
    case ExitClass::aborted:
      return 5;
    case ExitClass::internal_error:
      return 6;
    case ExitClass::revert_incomplete:
      return 7;
  }
  return 6;
}

}  // namespace

ExitClass more_serious(ExitClass a, ExitClass b) noexcept {
  return seriousness(a) >= seriousness(b) ? a : b;
}

}  // namespace pgfiredrill
