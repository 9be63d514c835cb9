#include "base/clock.h"

#include <ctime>
#include <thread>

#include <fmt/core.h>

namespace pgfiredrill {
namespace {

nanoseconds read_clock(clockid_t id) {
  timespec now{};
  ::clock_gettime(id, &now);
  return std::chrono::seconds{now.tv_sec} + nanoseconds{now.tv_nsec};
}

}  // namespace

nanoseconds SystemClock::monotonic() const {
  return read_clock(CLOCK_MONOTONIC);
}
nanoseconds SystemClock::boottime() const {
  return read_clock(CLOCK_BOOTTIME);
}
nanoseconds SystemClock::wall() const {
  return read_clock(CLOCK_REALTIME);
}
void SystemClock::sleep_for(nanoseconds duration) {
  std::this_thread::sleep_for(duration);
}

std::string rfc3339(nanoseconds wall) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(wall);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(wall - whole).count();
  const std::time_t seconds = whole.count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, millis);
}

}  // namespace pgfiredrill
