#include "suites/suite.h"

#include <gmock/gmock.h>

#include "fault-injectors/fault.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kGood = R"(suite: mine
description: Two drills.
traffic: {pooled_hz: 100, ledger_hz: 40}
drills:
  - name: switchover
    fault: {kind: patroni-switchover, target: leader}
    repeats: 3
    baseline_s: 12.5
    observe_s: 30
    expectations:
      - {metric: outage_s, where: {access: read_write, session: fresh}, over: max, limit: 30}
      - {metric: lost, limit: 0}
  - name: kill
    fault: {kind: kill-process}
)";

std::string complaint(const std::string& yaml) {
  const auto suite = parse_suite(yaml, "mine.yaml");
  return suite ? "it was accepted" : suite.error().message();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) ADD_FAILURE() << "no " << from;
  return text.replace(at, from.size(), to);
}

TEST(Suite, ReadsEveryField) {
  const auto suite = parse_suite(kGood, "mine.yaml");
  ASSERT_TRUE(suite) << suite.error().message();
  EXPECT_EQ(suite->name, "mine");
  EXPECT_EQ(suite->pooled_hz, 100);
  EXPECT_EQ(suite->ledger_hz, 40);
  ASSERT_EQ(suite->drills.size(), 2u);
  const DrillPlan& plan = suite->drills[0].plan;
  EXPECT_EQ(plan.fault.kind, "patroni-switchover");
  EXPECT_EQ(plan.repeats, 3);
  EXPECT_EQ(plan.baseline_s, 12.5);
  EXPECT_EQ(plan.observe_s, 30);
  EXPECT_TRUE(suite->drills[0].observe_given);
  ASSERT_EQ(plan.expectations.size(), 2u);
  EXPECT_EQ(plan.expectations[0].where.session, "fresh");
  EXPECT_EQ(plan.expectations[0].limit, 30);
  EXPECT_EQ(plan.expectations[1].metric, "lost");
  EXPECT_FALSE(suite->drills[1].observe_given);
  EXPECT_EQ(suite->drills[1].plan.fault.target, "leader");
}

/// A mistyped limit must not pass for no limit: each complaint names the line and what was expected.
TEST(Suite, RefusesWhatItDoesNotKnowWithTheLine) {
  struct Case {
    const char* from;
    const char* to;
    const char* line;
    const char* expected;
  };
  const Case cases[] = {
      {"repeats: 3", "repeat: 3", "line 7", "repeats"},
      {"repeats: 3", "repeats: three", "line 7", "a number of repeats"},
      {"repeats: 3", "repeats: 0", "line 7", "from 1 to 1000"},
      {"repeats: 3", "repeats: 1.5", "line 7", "whole number"},
      {"repeats: 3", "repeats: 3\n    repeats: 4", "line 8", "once"},
      {"baseline_s: 12.5", "baseline_s: -1", "line 8", "from 3 to 3600"},
      {"baseline_s: 12.5", "baseline_s: nan", "line 8", "seconds"},
      {"baseline_s: 12.5", "baseline_s: [1]", "line 8", "seconds"},
      {"metric: outage_s", "metric: outage", "line 11", "outage_s"},
      {"over: max", "over: avg", "line 11", "max, min, sum"},
      {"session: fresh", "session: new", "line 11", "fresh, pooled"},
      {", limit: 30}", "}", "line 11", "`limit:` in s"},
      {"{metric: lost, limit: 0}", "{metric: lost, where: {access: read_write}, limit: 0}", "line 12",
       "no `where`"},
      {"kind: kill-process", "kind: kill-proces", "line 14", "kill-process"},
      {"target: leader}", "target: nobody}", "line 6", "leader"},
      {"name: kill", "name: switchover", "line 13", "a name of its own"},
      {"name: kill", "name: \"a/b\"", "line 13", "lower-case letters"},
      {"suite: mine", "suite: [mine]", "line 1", "text"},
      {"pooled_hz: 100", "pooled_hz: 5000", "line 3", "from 1 to 1000"},
      {"drills:", "drils:", "line 4", "drills"},
  };
  for (const Case& each : cases) {
    EXPECT_THAT(complaint(replaced(kGood, each.from, each.to)),
                AllOf(HasSubstr("mine.yaml"), HasSubstr(each.line), HasSubstr(each.expected)))
        << each.from << " → " << each.to;
  }
}

TEST(Suite, RefusesWhatIsNoSuite) {
  EXPECT_THAT(complaint(""), HasSubstr("no mapping"));
  EXPECT_THAT(complaint("- a\n- b\n"), HasSubstr("no mapping"));
  EXPECT_THAT(complaint("suite: x\n"), HasSubstr("no drill"));
  EXPECT_THAT(complaint("suite: x\ndrills: []\n"), HasSubstr("no drills"));
  EXPECT_THAT(complaint("drills:\n  - {name: a}\n"), HasSubstr("without a fault"));
  EXPECT_THAT(complaint("suite: {a: [\n"), HasSubstr("YAML"));
  EXPECT_THAT(complaint(std::string{"suite: x\0y\n", 11}), HasSubstr("NUL"));
}

TEST(Suite, CarriesItsOwnSuites) {
  const auto suites = built_in_suites();
  ASSERT_FALSE(suites.empty());
  const auto smoke = load_suite("smoke");
  ASSERT_TRUE(smoke) << smoke.error().message();
  EXPECT_EQ(smoke->drills.size(), 2u);
}

/// A suite that the program carries and cannot read would only show at a customer's.
TEST(Suite, EveryBuiltInSuiteLoadsAndSaysWhyEachDrillMatters) {
  for (const Suite& suite : built_in_suites()) {
    if (suite.name == "smoke") continue;
    EXPECT_LE(suite.drills.size(), 16u) << suite.name;
    for (const DrillSpec& drill : suite.drills) {
      EXPECT_FALSE(drill.plan.why.empty()) << suite.name << " / " << drill.plan.name;
      EXPECT_FALSE(drill.plan.expectations.empty()) << suite.name << " / " << drill.plan.name;
    }
  }
  for (const char* name : {"go-live", "resilience", "disaster"}) EXPECT_TRUE(load_suite(name)) << name;
}

/// It runs every week on clusters in use, whose other writers' data an unplanned failover would destroy.
TEST(Suite, ResilienceCausesNoUnplannedFailover) {
  const auto suite = load_suite("resilience");
  ASSERT_TRUE(suite) << suite.error().message();
  for (const DrillSpec& drill : suite->drills) {
    const auto* kind = fault::find_fault_kind(drill.plan.fault.kind);
    ASSERT_NE(kind, nullptr);
    EXPECT_EQ(kind->danger(drill.plan.fault), fault::Danger::none) << drill.plan.name;
    EXPECT_TRUE(drill.plan.then.empty()) << drill.plan.name;
  }
}

TEST(Suite, TakesWordsForLimitsWhereTheyMeanSomething) {
  const auto with = [](const std::string& fault, const std::string& expectation) {
    return "suite: s\ndrills:\n  - name: d\n    fault: " + fault + "\n    expectations:\n      - " +
           expectation + "\n";
  };
  const std::string held = "{kind: freeze-disk, target: leader, hold_s: 9}";
  const std::string blow = "{kind: patroni-switchover}";
  const auto suite = parse_suite(with(held, "{metric: outage_s, limit: hold}"), "x");
  ASSERT_TRUE(suite) << suite.error().message();
  EXPECT_EQ(suite->drills[0].plan.expectations[0].basis, kLimitHold);
  EXPECT_TRUE(parse_suite(with(blow, "{metric: outage_s, limit: budget}"), "x"));
  EXPECT_TRUE(parse_suite(with(blow, "{metric: lost, limit: promise}"), "x"));
  EXPECT_THAT(complaint(with(blow, "{metric: outage_s, limit: hold}")),
              AllOf(HasSubstr("line 6"), HasSubstr("nothing is held")));
  EXPECT_THAT(complaint(with(blow, "{metric: lost, limit: budget}")), HasSubstr("`promise`"));
  EXPECT_THAT(complaint(with(blow, "{metric: outage_s, limit: promise}")), HasSubstr("`budget` or `hold`"));
  EXPECT_THAT(complaint(with(blow, "{metric: failovers, limit: budget}")),
              HasSubstr("a number in failovers"));
}

TEST(Suite, LoadsAFileByItsPath) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.write("mine.yaml", kGood);
  const auto suite = load_suite(path);
  ASSERT_TRUE(suite) << suite.error().message();
  EXPECT_EQ(suite->source, path);
}

TEST(Suite, NamesWhatThereIsWhereASuiteIsUnknown) {
  const auto suite = load_suite("smok");
  ASSERT_FALSE(suite);
  EXPECT_THAT(suite.error().message(), HasSubstr("smoke"));
  EXPECT_FALSE(load_suite("/"));
}

TEST(Suite, FiltersByPatternAndRefusesOneThatMatchesNothing) {
  const auto suite = parse_suite(kGood, "mine.yaml");
  ASSERT_TRUE(suite);
  const auto kept = filter_drills(*suite, "k*");
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->drills.size(), 1u);
  EXPECT_EQ(kept->drills[0].plan.name, "kill");
  const auto none = filter_drills(*suite, "K*");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), HasSubstr("switchover"));
}

}  // namespace
}  // namespace pgfiredrill
