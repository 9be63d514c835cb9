#include "measure/standby_errors.h"

#include "measure/operation_rules.h"

namespace pgfiredrill {

void StandbyErrors::on(const Operation& operation, const TrafficPath& path) {
  if (!led_to_standby(operation, path) && !operation.error.is(Trouble::read_only_session)) return;
  if (count++ == 0) first = operation.due;
  last = operation.due;
}

}  // namespace pgfiredrill
