#include "base/clock.h"

#include <gtest/gtest.h>

#include "tests/support/simulated_clock.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;

TEST(Rfc3339, HasMillisecondsAndUtc) {
  EXPECT_EQ(rfc3339(0ns), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(1'772'366'400s + 250'999'999ns), "2026-03-01T12:00:00.250Z");
  EXPECT_EQ(rfc3339(-1ms), "1969-12-31T23:59:59.999Z");
}

TEST(SystemClock, GoesForward) {
  SystemClock clock;
  const auto before = clock.monotonic();
  clock.sleep_for(2ms);
  EXPECT_GE(clock.monotonic() - before, 2ms);
  EXPECT_GE(clock.boottime(), clock.monotonic());
}

TEST(SimulatedClock, TellsASuspendByBootTime) {
  testing::SimulatedClock clock;
  const auto monotonic = clock.monotonic();
  const auto gap = clock.boottime() - clock.monotonic();
  clock.suspend(5s);
  EXPECT_EQ(clock.monotonic(), monotonic);
  EXPECT_EQ(clock.boottime() - clock.monotonic() - gap, 5s);
}

}  // namespace
}  // namespace pgfiredrill
