#include "suites/obstacle.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Obstacle, PassesOnlyWhatWasNamed) {
  const Sifted sifted =
      sift({{"recent-run", "A run."}, {"running-ddl", "DDL."}, {"", "No leader."}}, {"recent-run", ""});
  EXPECT_THAT(sifted.refusals, ElementsAre("DDL. `--override running-ddl` lets it pass.", "No leader."))
      << "an empty name lets nothing pass";
  ASSERT_EQ(sifted.overridden.size(), 1u);
  EXPECT_EQ(sifted.overridden[0].text, "A run.");
}

TEST(Obstacle, IsToldOnce) {
  const Sifted sifted = sift({{"", "No leader."}, {"", "No leader."}}, {});
  EXPECT_THAT(sifted.refusals, ElementsAre("No leader."));
  EXPECT_THAT(sifted.overridden, IsEmpty());
}

TEST(Obstacle, HasNoNameForWhatProtectsTheClusterItself) {
  for (const char* never : {"", "lock", "paused", "unreachable", "foreign-database", "rest", "all", "*"}) {
    EXPECT_FALSE(is_override_name(never)) << never;
  }
  for (const OverrideName& known : override_names()) EXPECT_TRUE(is_override_name(known.name));
}

}  // namespace
}  // namespace pgfiredrill
