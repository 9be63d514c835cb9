#include "suites/preflight_judgement.h"

#include <functional>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Case {
  const char* name;
  std::function<void(PreflightFacts&)> arrange;
  const char* says;
};

class FactsRefuse : public ::testing::TestWithParam<Case> {};

// Each by the one name that lets it pass, and every name is one that people can give.
TEST_P(FactsRefuse, ByItsName) {
  PreflightFacts facts;
  GetParam().arrange(facts);
  const auto obstacles = obstacles_by_facts(facts);
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_EQ(obstacles[0].name, GetParam().name);
  EXPECT_TRUE(is_override_name(obstacles[0].name));
  EXPECT_THAT(obstacles[0].text, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Preflight, FactsRefuse,
    ::testing::Values(
        Case{"unlogged-tables",
             [](auto& facts) {
               facts.unlogged = {{"shop", 3}};
             },
             "Database shop has 3"},
        Case{"logical-slots",
             [](auto& facts) {
               facts.slots = {{"cdc", "shop", false}};
             },
             "cdc"},
        Case{"prepared-transactions", [](auto& facts) { facts.prepared = {"xa-1 in shop"}; }, "xa-1 in shop"},
        Case{"running-ddl",
             [](auto& facts) {
               facts.running = {{"running-ddl", "pgnode01", "process 7"}};
             },
             "process 7 on pgnode01"},
        Case{"running-dump",
             [](auto& facts) {
               facts.running = {{"running-dump", "pgnode02", "process 8 of pg_dump"}};
             },
             "pgnode02"},
        Case{"running-base-backup",
             [](auto& facts) {
               facts.running = {{"running-base-backup", "pgnode02", "process 9"}};
             },
             "base backup"},
        Case{"wraparound-vacuum",
             [](auto& facts) {
               facts.running = {{"wraparound-vacuum", "pgnode01", "process 5"}};
             },
             "wraparound"},
        Case{"remove-data-directory",
             [](auto& facts) { facts.removes_data = {"pg1: remove_data_directory_on_rewind_failure"}; },
             "pg1: remove_data_directory"},
        Case{"slow-rebuild", [](auto& facts) { facts.database_bytes = std::int64_t{200} << 30; },
             "an assumption"},
        Case{"running-ddl",
             [](auto& facts) {
               facts.not_looked_at = {{"running-ddl", {.what = "log in", .where = "pgnode03"}}};
             },
             "pgnode03"}),
    [](const auto& each) {
      std::string name = std::to_string(each.index) + each.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(PreflightFacts, OfAQuietClusterAreInNobodysWay) {
  PreflightFacts facts{.slots = {{"cdc", "shop", true}}, .database_bytes = std::int64_t{10} << 30};
  EXPECT_THAT(obstacles_by_facts(facts), IsEmpty());
}

// 20 GiB are quick over a network, and not at the rate that is set.
TEST(PreflightFacts, ARebuildGoesAtTheRateThatIsSet) {
  PreflightFacts facts{.database_bytes = std::int64_t{20} << 30, .basebackup_bytes_per_s = 1 << 20};
  const auto obstacles = obstacles_by_facts(facts);
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_THAT(obstacles[0].text, AllOf(HasSubstr("341 min"), HasSubstr("max-rate")));
  facts.basebackup_bytes_per_s = std::int64_t{1000} << 20;  // faster than any network that was assumed
  facts.database_bytes = std::int64_t{200} << 30;
  EXPECT_THAT(obstacles_by_facts(facts).at(0).text, HasSubstr("assumption"));
}

TEST(PreflightFacts, NamesOfOthersDoNotBreakALine) {
  PreflightFacts facts{.prepared = {"a\nb\x1b[2J in shop"}};
  EXPECT_THAT(obstacles_by_facts(facts).at(0).text, AllOf(Not(HasSubstr("\n")), Not(HasSubstr("\x1b"))));
}

fault::HostState stamped(const std::string& host, const std::string& run, std::chrono::seconds ago) {
  fault::HostState state;
  state.host = host;
  state.broken_by = run;
  state.broken_ago = ago;
  return state;
}

TEST(RecentRuns, AreOneObstacleEachForADay) {
  const auto obstacles =
      obstacles_by_stamps({stamped("pg1", "run-1", 2h), stamped("pg2", "run-1", 1h + 59min),
                           stamped("pg3", "run-0", 25h), stamped("pg4", "", 0s)},
                          "");
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_EQ(obstacles[0].name, "recent-run");
  EXPECT_THAT(obstacles[0].text, AllOf(HasSubstr("run-1"), HasSubstr("119 minutes")));
}

TEST(RecentRuns, TheOneThatIsContinuedIsNone) {
  EXPECT_THAT(obstacles_by_stamps({stamped("pg1", "run-1", 1min)}, "run-1"), IsEmpty());
}

// A host whose clock was set back must not open the day's second drill.
TEST(RecentRuns, AStampFromTheFutureIsRecent) {
  EXPECT_EQ(obstacles_by_stamps({stamped("pg1", "run-1", -100h)}, "").size(), 1u);
}

TEST(OthersWrites, AreWhatEveryDatabaseGained) {
  const WrittenRows before{{{"a", 100}, {"b", 50}, {"c", 7}}, 0};
  const WrittenRows after{{{"a", 140}, {"b", 10}, {"c", 7}, {"new", 20}}, 0};
  const OthersWrite others = others_between(before, after, 10s);
  EXPECT_DOUBLE_EQ(others.rows_per_s, 6.0) << "a table that was dropped takes nothing back";
  EXPECT_THAT(others.databases, ElementsAre("a", "new"));
}

TEST(OthersWrites, AreInDangerOnlyWhereADrillMayFailOver) {
  const OthersWrite writing{.rows_per_s = 6, .databases = {"shop"}};
  EXPECT_THAT(danger_to_others({"kill"}, writing).value_or(""),
              AllOf(HasSubstr("6.0 rows a second"), HasSubstr("shop"), HasSubstr("kill")));
  EXPECT_FALSE(danger_to_others({}, writing));
  EXPECT_FALSE(danger_to_others({"kill"}, {}));
  EXPECT_TRUE(danger_to_others({"kill"}, {.databases_not_counted = 1})) << "not known is not none";
}

TEST(OthersWrites, AFurtherFaultIsDangerousToo) {
  RunManifest manifest;
  manifest.drills.resize(3);
  manifest.drills[0].name = "planned";
  manifest.drills[0].fault.kind = "patroni-switchover";
  manifest.drills[1] = manifest.drills[0];
  manifest.drills[1].name = "both";
  manifest.drills[1].then.push_back({.kind = "patroni-failover"});
  manifest.drills[2].name = "unknown";
  manifest.drills[2].fault.kind = "of-a-later-release";
  EXPECT_THAT(dangerous_drills(manifest), ElementsAre("both", "unknown"));
  manifest.drills[1].measured = {"run-1", Verdict::passed};
  EXPECT_THAT(dangerous_drills(manifest), ElementsAre("unknown")) << "what is not run endangers nobody";
}

}  // namespace
}  // namespace pgfiredrill
