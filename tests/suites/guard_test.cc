#include "suites/guard.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(GuardLimit, IsAMetricAndSeconds) {
  const auto limit = parse_guard_limit(" error_s > 2.5 ");
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->metric, "error_s");
  EXPECT_DOUBLE_EQ(limit->limit, 2.5);
}

TEST(GuardLimit, SaysWhatIsWrong) {
  for (const auto& [text, says] : {std::pair{"outage_s", "no '>'"},
                                   {"outage_s<3", "no '>'"},
                                   {"outage>3", "no such metric"},
                                   {"lost>0", "only after the drill"},
                                   {"outage_s>", "no number"},
                                   {"outage_s>-1", "no number"},
                                   {"outage_s>3s", "no number"},
                                   {"outage_s>nan", "no number"},
                                   {"outage_s>0", "no number"}}) {
    const auto limit = parse_guard_limit(text);
    ASSERT_FALSE(limit) << text;
    EXPECT_THAT(limit.error().message(), AllOf(HasSubstr(says), HasSubstr("unavailable_s"))) << text;
  }
}

TrafficPath path(const std::string& id, Access access = Access::read_write) {
  TrafficPath made;
  made.id = id;
  made.access = access;
  return made;
}

LivePath down(const std::string& id, double seconds) {
  return {.id = id, .longest_s = seconds, .unavailable_s = seconds};
}

TEST(Guard, TripsBeyondItsLimitAndSaysWhere) {
  const std::vector<TrafficPath> paths{path("a"), path("b")};
  EXPECT_FALSE(guard_trips({{"outage_s", 10}}, paths, {down("a", 10), down("b", 0)}));
  EXPECT_THAT(guard_trips({{"outage_s", 10}}, paths, {down("a", 0), down("b", 10.5)}).value_or(""),
              AllOf(HasSubstr("outage_s of b is 10.5 s"), HasSubstr("may be 10 s")));
  EXPECT_TRUE(guard_trips({{"error_s", 1}, {"unavailable_s", 10}}, paths, {down("a", 11)})) << "any of them";
}

// Each of these is down by design while its drill goes well.
TEST(Guard, LooksOnlyAtPathsThatTheClusterNeedsForWrites) {
  TrafficPath pinned = path("pinned");
  pinned.pinned_member = "pgnode01";
  TrafficPath stale = path("list");
  stale.needed_for_steady_state = false;
  for (const TrafficPath& each : {path("replicas", Access::read_only), pinned, stale}) {
    EXPECT_FALSE(guard_trips({{"outage_s", 1}}, {each}, {down(each.id, 60)})) << each.id;
  }
}

}  // namespace
}  // namespace pgfiredrill
