#include "fault-injectors/host_return.h"

namespace pgfiredrill::fault {
namespace {

constexpr std::chrono::seconds kBetweenLogins{2};

Failure not_back(const Host& host, const Failure& last) {
  return {.kind = FailureKind::timed_out,
          .what = "log in again",
          .where = host.name(),
          .came_back = last.message(),
          .hint = "Look at the host's console: does it boot?"};
}

}  // namespace

Result<void> wait_for_logins(const std::vector<Host*>& hosts, Clock& clock, nanoseconds patience) {
  const nanoseconds deadline = clock.monotonic() + patience;
  for (Host* host : hosts) {
    while (true) {
      const auto in = host->log_in_anew();
      if (in) break;
      if (clock.monotonic() >= deadline) return not_back(*host, in.error());
      clock.sleep_for(kBetweenLogins);
    }
  }
  return {};
}

}  // namespace pgfiredrill::fault
