#include "suites/pump.h"

#include <gtest/gtest.h>

#include "tests/support/inline_background.h"
#include "tests/support/simulated_clock.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::InlineBackground;
using testing::SimulatedClock;

class PumpTest : public ::testing::Test {
 protected:
  SimulatedClock clock_;
  InlineBackground background_;
  int asked_ = 0;
  int ticks_ = 0;
  bool left_ = false;
  Pump pump_{clock_, background_, [this] { return asked_; }, [this] { ++ticks_; }, [this] { left_ = true; }};
};

TEST_F(PumpTest, TicksWhileItWaitsAndStopsInTime) {
  const nanoseconds before = clock_.monotonic();
  pump_.pause(1s);
  EXPECT_EQ(clock_.monotonic() - before, 1s);
  EXPECT_GE(ticks_, 20);
}

TEST_F(PumpTest, WaitsNoLongerThanTheConditionNeeds) {
  const nanoseconds before = clock_.monotonic();
  EXPECT_TRUE(pump_.wait_until([&] { return ticks_ == 3; }, 60s));
  EXPECT_LT(clock_.monotonic() - before, 1s);
  EXPECT_FALSE(pump_.wait_until([] { return false; }, 1s));
}

TEST_F(PumpTest, ReturnsWhatTheWorkReturned) {
  EXPECT_EQ(pump_.run([] { return 42; }), 42);
}

TEST_F(PumpTest, AnInterruptEndsAWaitButNotWorkThatMustFinish) {
  asked_ = 1;
  EXPECT_THROW(pump_.pause(1s), Interrupted);
  EXPECT_THROW((void)pump_.run([] { return 1; }), Interrupted);
  EXPECT_EQ(pump_.run([] { return 1; }, true), 1);
}

TEST_F(PumpTest, WhileUndoingOnlyTheSecondInterruptCounts) {
  pump_.tolerate(1);
  asked_ = 1;
  EXPECT_NO_THROW(pump_.pause(1s));
  asked_ = 2;
  EXPECT_THROW(pump_.pause(1s), Interrupted);
  EXPECT_FALSE(left_);
}

TEST_F(PumpTest, TheThirdInterruptLeavesAtOnce) {
  pump_.tolerate(2);
  asked_ = 3;
  EXPECT_THROW(pump_.pause(1s), Interrupted);
  EXPECT_TRUE(left_);
}

}  // namespace
}  // namespace pgfiredrill
