#include "measure/clock_offsets.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/simulated_clock.h"

namespace pgfiredrill {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::SimulatedClock;

/// A server whose clock is `ahead` of the machine's real time and drifts, asked ten times a second.
class Asking {
 public:
  nanoseconds ahead{0};
  double drift_ppm = 0;
  SimulatedClock clock;
  NodeClock node;

  void ask(int times) {
    for (int i = 0; i < times; ++i) {
      const auto out = microseconds{std::uniform_int_distribution<int>{50, 2'000}(random_)};
      const auto back = microseconds{std::uniform_int_distribution<int>{50, 2'000}(random_)};
      DirectAnswer answer{.member = "a", .asked_at = clock.monotonic()};
      clock.advance(out);
      answer.server_clock = server();
      clock.advance(back);
      answer.at = clock.monotonic();
      answer.wall = clock.wall();
      node.on(answer);
      clock.advance(milliseconds{100});
    }
  }
  /// Real time: boot time goes on while the machine sleeps, and no step of the wall clock is in it.
  [[nodiscard]] nanoseconds server() const {
    const double since = to_seconds(clock.boottime());
    return kEpoch + clock.boottime() + ahead +
           nanoseconds{static_cast<nanoseconds::rep>(since * drift_ppm * 1e3)};
  }

 private:
  static constexpr nanoseconds kEpoch{1'700'000'000'000'000'000};
  std::mt19937 random_{11};
};

TEST(NodeClock, TellsTheOffsetWithinItsError) {
  for (const auto ahead : {milliseconds{0}, milliseconds{250}, milliseconds{-4'000}}) {
    Asking asking;
    asking.ahead = ahead;
    asking.ask(200);
    const ClockResult result = asking.node.result("a");
    EXPECT_NEAR(*result.offset_s, to_seconds(ahead), *result.error_s + 1e-9);
    EXPECT_LT(*result.error_s, 0.001);
    EXPECT_EQ(result.steps, 0u);
    EXPECT_FALSE(result.drift_ppm) << "less than the error says nothing";
  }
}

TEST(NodeClock, TellsADriftThatOutgrowsTheError) {
  Asking asking;
  asking.drift_ppm = 200;
  asking.ask(3'000);
  const ClockResult result = asking.node.result("a");
  ASSERT_TRUE(result.drift_ppm);
  EXPECT_NEAR(*result.drift_ppm, 200, 20);
  EXPECT_EQ(result.steps, 0u);
}

TEST(NodeClock, TellsAStepOfTheServer) {
  Asking asking;
  asking.ask(50);
  asking.ahead = milliseconds{500};
  asking.ask(50);
  const ClockResult result = asking.node.result("a");
  EXPECT_EQ(result.steps, 1u);
  EXPECT_EQ(result.own_steps, 0u);
  EXPECT_NEAR(*result.offset_s, 0.5, *result.error_s + 1e-9) << "as it is after the step";
}

TEST(NodeClock, TellsAStepOfThisMachine) {
  Asking asking;
  asking.ask(50);
  asking.clock.step_wall(seconds{-2});
  asking.ask(50);
  const ClockResult result = asking.node.result("a");
  EXPECT_EQ(result.steps, 1u);
  EXPECT_EQ(result.own_steps, 1u);
  EXPECT_NEAR(*result.offset_s, 2, *result.error_s + 1e-9);
}

// Asleep, the monotonic clock stands while both wall clocks go on: nobody's clock was wrong.
TEST(NodeClock, ASuspendIsNoStep) {
  Asking asking;
  asking.ask(50);
  asking.clock.suspend(seconds{30});
  asking.ask(50);
  EXPECT_EQ(asking.node.result("a").steps, 0u);
}

TEST(NodeClock, TwoStepsAreTwo) {
  Asking asking;
  asking.ask(50);
  asking.ahead = milliseconds{300};
  asking.ask(50);
  asking.ahead = milliseconds{0};
  asking.ask(50);
  EXPECT_EQ(asking.node.result("a").steps, 2u);
}

TEST(NodeClock, MapsItsTimeToOurs) {
  Asking asking;
  asking.ahead = seconds{5};
  asking.drift_ppm = 100;
  asking.ask(100);
  const nanoseconds then = asking.clock.monotonic();
  const nanoseconds shown = asking.server();
  asking.ask(100);
  const auto ours = asking.node.to_ours(shown);
  ASSERT_TRUE(ours);
  EXPECT_LE(std::abs((ours->at - then).count()), ours->error.count());
  EXPECT_LT(ours->error, milliseconds{3});
}

TEST(NodeClock, ATimeThatItShowedTwiceIsNone) {
  Asking asking;
  asking.ask(100);
  const nanoseconds shown = asking.server();
  asking.ask(50);
  asking.ahead = seconds{-10};
  asking.ask(150);
  EXPECT_FALSE(asking.node.to_ours(shown));
}

TEST(MeasureClocks, SaysWhyAClockWasNotMeasured) {
  const auto clocks = measure_clocks({}, {"a"});
  ASSERT_EQ(clocks.size(), 1u);
  EXPECT_FALSE(clocks[0].offset_s);
  EXPECT_FALSE(clocks[0].why_not.empty());
}

}  // namespace
}  // namespace pgfiredrill
