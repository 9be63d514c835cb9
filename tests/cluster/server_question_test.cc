#include "cluster/server_question.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

StatementEvidence answered(Row row) {
  StatementEvidence evidence;
  evidence.ended_cleanly = true;
  evidence.rows = {std::move(row)};
  return evidence;
}

TEST(ServerQuestion, ReadsAPrimarysAnswer) {
  const auto report =
      parse_self_report(answered({"f", "1700000000000000", "7", "0/3000060", std::nullopt, "17"}));
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->in_recovery);
  EXPECT_EQ(report->timeline, 7u);
  EXPECT_EQ(report->lsn, "0/3000060");
  EXPECT_EQ(report->receive_lsn, "");
}

/// A standby whose receiver is gone tells no timeline, and its positions still count.
TEST(ServerQuestion, ReadsAStandbyThatReceivesNothing) {
  const auto report = parse_self_report(answered({"t", "1", std::nullopt, "0/5", "0/6", "17"}));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->in_recovery);
  EXPECT_EQ(report->timeline, 0u);
}

TEST(ServerQuestion, BelievesNoAnswerOfAnotherForm) {
  EXPECT_FALSE(parse_self_report({}));
  EXPECT_FALSE(parse_self_report(answered({"f", "1", "7", "0/3"})));
  EXPECT_FALSE(parse_self_report(answered({"yes", "1", "7", "0/3", "0/3", "17"})));
  EXPECT_FALSE(parse_self_report(answered({"f", "soon", "7", "0/3", "0/3", "17"})));
  EXPECT_FALSE(parse_self_report(answered({"f", "1", "7", "0/3", "0/3", std::nullopt})));
  StatementEvidence cut = answered({"f", "1", "7", "0/3", std::nullopt, "17"});
  cut.ended_cleanly = false;
  EXPECT_FALSE(parse_self_report(cut));
  for (const char* timeline : {"-1", "4294967296", "x"}) {
    const auto report = parse_self_report(answered({"f", "1", timeline, "0/3", std::nullopt, "17"}));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->timeline, 0u) << timeline;
  }
}

/// It runs with its owner's rights.
TEST(ServerQuestion, TheFunctionIsNobodysButTheRoles) {
  const auto schema = server_question_schema("somebody");
  EXPECT_THAT(schema, Contains(HasSubstr("SET search_path = pg_catalog")));
  EXPECT_THAT(schema, Contains("REVOKE ALL ON FUNCTION pgfiredrill.observe() FROM PUBLIC"));
  EXPECT_THAT(schema, Contains("GRANT EXECUTE ON FUNCTION pgfiredrill.observe() TO somebody"));
}

}  // namespace
}  // namespace pgfiredrill
