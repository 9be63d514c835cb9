#include "measure/operation_rules.h"

#include <algorithm>

namespace pgfiredrill {

namespace {

constexpr nanoseconds kLongest{std::chrono::hours{24}};

bool answered_by_standby(const Operation& operation, const TrafficPath& path) {
  return path.access == Access::read_write && operation.in_recovery;
}

bool over_deadline(const Operation& operation, const TrafficPath& path) {
  return operation.late || (operation.done_after && *operation.done_after > deadline_of(path));
}

bool gave_up_at_deadline(ErrorClass error) {
  return error.is(Trouble::connect_timeout) || error.is(Trouble::login_timeout) ||
         error.is(Trouble::answer_timeout);
}

bool never_sent_in_time(ErrorClass error) {
  return error.is(Trouble::no_connection) || error.is(Trouble::late_dispatch);
}

}  // namespace

bool is_success(const Operation& operation, const TrafficPath& path) {
  return operation.acknowledged() && !operation.dropped && !over_deadline(operation, path) &&
         !answered_by_standby(operation, path);
}

bool is_stall(const Operation& operation, const TrafficPath& path) {
  return operation.dropped || over_deadline(operation, path) || gave_up_at_deadline(operation.error) ||
         never_sent_in_time(operation.error);
}

bool is_error(const Operation& operation, const TrafficPath& path) {
  if (answered_by_standby(operation, path)) return true;
  if (operation.dropped || gave_up_at_deadline(operation.error) || never_sent_in_time(operation.error)) {
    return false;
  }
  return !operation.acknowledged();
}

bool led_to_standby(const Operation& operation, const TrafficPath& path) {
  return answered_by_standby(operation, path) || operation.error.is(Trouble::misrouted) ||
         operation.error.is_sqlstate("25006");
}

ErrorClass error_of(const Operation& operation, const TrafficPath& path) {
  if (!operation.error.none()) return operation.error;
  if (answered_by_standby(operation, path)) return Trouble::misrouted;
  return operation.acknowledged() ? Trouble::none : Trouble::other;
}

nanoseconds interval_of(const TrafficPath& path) {
  const double interval = path.rate_hz > 0 ? 1e9 / path.rate_hz : 1e9;
  const double longest = static_cast<double>(kLongest.count());
  return nanoseconds{static_cast<nanoseconds::rep>(std::clamp(interval, 1.0, longest))};
}

nanoseconds known_at(const Operation& operation, const TrafficPath& path) {
  return operation.due + operation.done_after.value_or(deadline_of(path));
}

nanoseconds deadline_of(const TrafficPath& path) {
  return std::clamp(path.deadline, nanoseconds{0}, kLongest);
}

}  // namespace pgfiredrill
