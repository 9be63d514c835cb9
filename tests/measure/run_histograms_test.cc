#include "measure/run_histograms.h"

#include <gtest/gtest.h>

#include "synthetic_run.h"

namespace pgfiredrill {
namespace {

using testing::healthy_switchover;
using testing::SyntheticRun;

TEST(RunHistograms, AreOfEveryPathAndTheLedgerInEveryRepeat) {
  const SyntheticRun run = healthy_switchover();
  std::vector<RunHistograms> all;
  ASSERT_TRUE(for_each_path(run.input(), [&](const RunHistograms& one) { all.push_back(one); }));
  ASSERT_EQ(all.size(), run.manifest.paths.size());
  EXPECT_EQ(all[0].drill, "switchover");
  EXPECT_EQ(all[0].repeat, 0u);
  EXPECT_EQ(all[0].path, run.manifest.paths[0].id);
  EXPECT_EQ(all[2].path, run.manifest.paths[2].id);
  EXPECT_GT(all[2].histograms.response_after.count(), 0u);
  // What the report says of them is the same.
  const RunResult judged = run.judge();
  const RepeatResult& repeat = judged.drills.at(0).repeats.at(0);
  EXPECT_EQ(all[0].histograms.response_before.count(), repeat.paths[0].latency.response_before->count);
  EXPECT_EQ(all[0].histograms.service_after.count(), repeat.paths[0].latency.service_after->count);
  EXPECT_EQ(all[2].histograms.response_before.count(),
            repeat.ledger_latency.at(0).latency.response_before->count);
}

TEST(RunHistograms, UnreadableOperationsAreAFailure) {
  const SyntheticRun run = healthy_switchover();
  RunInput input = run.input();
  input.operations = [](nanoseconds, nanoseconds, const auto&) -> Result<std::vector<RecordDamage>> {
    return Failure{.what = "read", .came_back = "no"};
  };
  EXPECT_FALSE(for_each_path(input, [](const RunHistograms&) {}));
}

}  // namespace
}  // namespace pgfiredrill
