#include "measure/application_views.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;
using testing::times;

/// Injection at 100 s, the end at `to`.
RepeatTimes until(double to) {
  return {.traffic_from = at_s(90),
          .baseline_from = at_s(90),
          .injected = at_s(100),
          .to = at_s(to),
          .complete_until = at_s(to)};
}

std::vector<ApplicationView> views(const std::vector<Operation>& operations, const TrafficPath& path,
                                   double to) {
  ApplicationFold fold{path, until(to)};
  for (const Operation& operation : operations) fold.on(operation);
  return fold.finish();
}

/// Ten operations a second from the injection on; of a success or an error 2 ms, of a stall 1 s.
ApplicationView view(const std::string& policy, const std::string& letters) {
  const double to = 100 + 0.1 * static_cast<double>(letters.size());
  for (const ApplicationView& one : views(history(letters, 0.1, 100), canary(10), to)) {
    if (one.policy == policy) return one;
  }
  ADD_FAILURE() << "no " << policy;
  return {};
}

TEST(ApplicationViews, NothingWrongIsServedByEveryPolicy) {
  for (const char* policy : {"no-retry", "retry-3x1s", "backoff-30s", "driver-default"}) {
    const ApplicationView all = view(policy, times(100));
    EXPECT_EQ(all.requests, 100u) << policy;
    EXPECT_EQ(all.failed, 0u) << policy;
    EXPECT_EQ(all.unfinished, 0u) << policy;
    EXPECT_DOUBLE_EQ(all.longest_hang_s.value(), 0.002) << policy;
    EXPECT_FALSE(all.censored) << policy;
  }
}

TEST(ApplicationViews, WithoutRetryEveryErrorIsSeen) {
  const ApplicationView seen = view("no-retry", times(10) + times(20, 'x') + times(3, 't') + times(67));
  EXPECT_EQ(seen.requests, 100u);
  EXPECT_EQ(seen.failed, 23u);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 1.0);
  EXPECT_FALSE(seen.censored);
}

TEST(ApplicationViews, ThreeRetriesOutlastAnOutageOfThreeSeconds) {
  // Down from 101.0 to 103.9. The first request of it tries at 101, 102.002, 103.004 and 104.006.
  const ApplicationView seen = view("retry-3x1s", times(10) + times(29, 'x') + times(61));
  EXPECT_EQ(seen.failed, 0u);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 3.008);
}

TEST(ApplicationViews, ThreeRetriesGiveUpInALongerOne) {
  // Down from 101.0 to 106.0: those from 101.0 to 102.9 fail at their fourth attempt (the one of 102.9 at
  // 105.906), the one of 103.0 is served at 106.006.
  const ApplicationView seen = view("retry-3x1s", times(10) + times(50, 'x') + times(40));
  EXPECT_EQ(seen.failed, 20u);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 3.008);
}

TEST(ApplicationViews, BackoffDoublesUpToFiveSeconds) {
  // Down for the first 10 s. Of the first request: attempts at 0, 0.102, 0.304, 0.706, 1.508, 3.11, 6.312
  // (each 2 ms, waits of 0.1, 0.2, 0.4, 0.8, 1.6, 3.2 s), and after 5 s at 11.314.
  const ApplicationView seen = view("backoff-30s", times(100, 'x') + times(100));
  EXPECT_EQ(seen.failed, 0u);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 11.316);
}

TEST(ApplicationViews, BackoffGivesUpAfterHalfAMinute) {
  // Attempts every 5.002 s from 11.314 on: the last at 26.32, the next would begin at 31.322.
  const ApplicationView seen = view("backoff-30s", times(400, 'x') + times(100));
  EXPECT_GT(seen.failed, 0u);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 26.322);
  // Those from 13.7 s on are served: 40.02 is their attempt after 26.32 s.
  EXPECT_EQ(seen.failed, 137u);
}

TEST(ApplicationViews, RetriesBeyondTheEndAreUnfinished) {
  // Down for the last 2 s: whoever failed there waits for a second attempt that nobody recorded.
  const ApplicationView seen = view("retry-3x1s", times(80) + times(20, 'x'));
  EXPECT_EQ(seen.failed, 0u);
  EXPECT_EQ(seen.unfinished, 20u);
  EXPECT_TRUE(seen.censored);
  EXPECT_GE(seen.longest_hang_s.value(), 2.0);
}

TEST(ApplicationViews, DriverDefaultHangsWhereTheOthersGiveUp) {
  // Three stalls and an error: the first of the stalls hangs from 101.0 to the end at 110.0.
  const ApplicationView seen = view("driver-default", times(10) + "tttx" + times(86));
  EXPECT_EQ(seen.requests, 100u);
  EXPECT_EQ(seen.failed, 1u);
  EXPECT_EQ(seen.unfinished, 3u);
  EXPECT_TRUE(seen.censored);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 9.0);
}

TEST(ApplicationViews, DriverDefaultWaitsForALateGoodEnd) {
  const ApplicationView seen = view("driver-default", times(10) + "l" + times(89));
  EXPECT_EQ(seen.failed, 0u);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 1.5);
}

TEST(ApplicationViews, KeepaliveEndsWhatHangsTenMinutes) {
  const auto seen = views(history("t" + times(700), 1, 100), canary(1), 801);
  const auto driver = std::find_if(seen.begin(), seen.end(),
                                   [](const ApplicationView& one) { return one.policy == "driver-default"; });
  ASSERT_NE(driver, seen.end());
  EXPECT_EQ(driver->failed, 1u);
  EXPECT_EQ(driver->unfinished, 0u);
  EXPECT_DOUBLE_EQ(driver->longest_hang_s.value(), 600);
}

TEST(ApplicationViews, HangThatBeganLateLastedAtLeastAsLongAsWeWaited) {
  const ApplicationView seen = view("driver-default", times(99) + "t");
  EXPECT_EQ(seen.unfinished, 1u);
  EXPECT_DOUBLE_EQ(seen.longest_hang_s.value(), 1.0);
}

TEST(ApplicationViews, SessionLedToAStandbyIsAFailedAttempt) {
  EXPECT_EQ(view("no-retry", times(10) + "rw" + times(88)).failed, 2u);
  EXPECT_EQ(view("driver-default", times(10) + "rw" + times(88)).failed, 2u);
}

TEST(ApplicationViews, OurOwnLatenessIsNobodysAttempt) {
  const ApplicationView seen = view("no-retry", times(10) + "dd-" + times(87));
  EXPECT_EQ(seen.requests, 98u);
  EXPECT_EQ(seen.failed, 1u);
}

TEST(ApplicationViews, ReadWriteListIsTriedEachSecondUntilItWorks) {
  TrafficPath path = canary(10);
  path.target_session_attrs = "read-write";
  // Down from 101.0 to 105.0; the first request of it tries at 101, 102.002 … 105.008.
  const auto seen = views(history(times(10) + times(40, 'o') + times(50), 0.1, 100), path, 110);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].policy, "tsa");
  EXPECT_EQ(seen[0].path, path.id);
  EXPECT_EQ(seen[0].failed, 0u);
  EXPECT_EQ(seen[0].unfinished, 0u);
  EXPECT_DOUBLE_EQ(seen[0].longest_hang_s.value(), 4.01);
}

TEST(ApplicationViews, BeginAtTheInjectionAndWithoutOneThereAreNone) {
  EXPECT_EQ(views(history(times(100) + times(100), 0.1, 90), canary(10), 110)[0].requests, 100u);
  RepeatTimes times_without = until(110);
  times_without.injected.reset();
  const TrafficPath path = canary(10);
  ApplicationFold fold{path, times_without};
  for (const Operation& operation : history(times(100), 0.1, 100)) fold.on(operation);
  EXPECT_TRUE(fold.finish().empty());
}

TEST(ApplicationViews, ConcernPathsThatApplicationsWriteThrough) {
  TrafficPath path = canary();
  EXPECT_TRUE(ApplicationFold::concerns(path));
  path.session = SessionKind::pooled;
  EXPECT_TRUE(ApplicationFold::concerns(path));
  path.target_session_attrs = "read-write";
  EXPECT_FALSE(ApplicationFold::concerns(path)) << "libpq looks at it while logging in only";
  path = canary();
  path.access = Access::read_only;
  EXPECT_FALSE(ApplicationFold::concerns(path));
  path = canary();
  path.purpose = Purpose::ledger;
  EXPECT_FALSE(ApplicationFold::concerns(path));
}

}  // namespace
}  // namespace pgfiredrill
