#include "measure/stale_routing.h"

#include <gtest/gtest.h>

#include "history.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;
using testing::times;

/// Injection at 100 s, traffic from 90 s to 130 s.
RepeatTimes usual_times() {
  return {.traffic_from = at_s(90),
          .baseline_from = at_s(90),
          .injected = at_s(100),
          .to = at_s(130),
          .complete_until = at_s(130)};
}

MeasuredPath measure(const TrafficPath& path, const std::string& letters) {
  PathFold fold{path, usual_times(), {}};
  for (const Operation& op : history(letters, 0.1, 90)) fold.on(op);
  return fold.finish();
}

/// Down from the injection on for 6 s.
MeasuredPath plain() {
  return measure(canary(10), times(100) + times(60, 'x') + times(240));
}

TrafficPath list() {
  TrafficPath path = canary(10);
  path.id = "list:6432+tsa/read_write/fresh";
  path.entrypoint = "list:6432+tsa";
  path.addresses.resize(3);
  path.depth = Depth::pooler;
  path.target_session_attrs = "read-write";
  path.needed_for_steady_state = false;
  return path;
}

std::vector<std::string> ids(const std::vector<MeasuredPath>& paths) {
  std::vector<std::string> ids;
  for (const Finding& finding : find_stale_routing("switchover, repeat 1", usual_times(), paths)) {
    EXPECT_FALSE(finding.evidence.empty());
    EXPECT_NE(finding.remedy, "");
    ids.push_back(finding.id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST(StaleRouting, ListThatFailsLongAfterTheBalancerIsUp) {
  EXPECT_EQ(ids({plain(), measure(list(), times(100) + times(300, 'o'))}),
            Ids{"pooler.stale-in-hot-standby"});
  EXPECT_EQ(ids({plain(), measure(list(), times(100) + times(200, 'r') + times(100))}),
            Ids{"pooler.stale-in-hot-standby"});
}

TEST(StaleRouting, ListThatHealsWithTheBalancerIsFine) {
  EXPECT_EQ(ids({plain(), measure(list(), times(100) + times(70, 'o') + times(230))}), Ids{});
  EXPECT_EQ(ids({plain(), measure(list(), times(100) + times(300, 'x'))}), Ids{}) << "other errors";
}

TEST(StaleRouting, DriftBeforeTheFaultCounts) {
  EXPECT_EQ(ids({plain(), measure(list(), times(50, 'o') + times(350))}), Ids{"pooler.stale-in-hot-standby"});
}

TEST(StaleRouting, NothingIsSaidWhereTheBalancerIsDownToo) {
  const MeasuredPath down = measure(canary(10), times(100) + times(300, 'x'));
  EXPECT_EQ(ids({down, measure(list(), times(100) + times(300, 'o'))}), Ids{});
}

TEST(StaleRouting, StandbyAnswersAfterTheFirstSuccessAreNoted) {
  EXPECT_EQ(ids({measure(canary(10), times(100) + times(50, 'r') + "+w+w" + times(246))}),
            Ids{"routing.stale"});
  EXPECT_EQ(ids({measure(canary(10), times(100) + times(50, 'r') + times(250))}), Ids{});
}

TEST(StaleRouting, SameFindingOfSeveralRepeatsIsOne) {
  const auto once =
      find_stale_routing("a", usual_times(), {plain(), measure(list(), times(100) + times(300, 'o'))});
  auto twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  const auto merged = merge_findings(twice);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].evidence.size(), 2u);
}

}  // namespace
}  // namespace pgfiredrill
