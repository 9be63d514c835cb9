/// A switchover as a real cluster had it, with the default timings: four of its paths, and its events.

#include <gmock/gmock.h>

#include "measure/judge.h"
#include "tests/support/fixture.h"

namespace pgfiredrill {
namespace {

using ::testing::SizeIs;

class RecordedRun : public ::testing::Test {
 protected:
  RecordedRun() : reader_{RunReader::open(testing::fixture_path("measure/data/switchover"))} {}

  RepeatResult repeat() const { return judge_run(run_input(*reader_)).drills.at(0).repeats.at(0); }

  Result<RunReader> reader_;
};

/// What was reported then is reported for good: a rule that changes shows here.
TEST_F(RecordedRun, HasTheOutagesThatWereReported) {
  ASSERT_TRUE(reader_) << reader_.error().message();
  const RepeatResult judged = repeat();
  ASSERT_THAT(judged.paths, SizeIs(4));
  const double outages[] = {7.51146, 8.005635, 6.6713625, 2.2237875};
  const double errors[] = {7.412625, 8.005635, 3.55806, 2.2237875};
  const double available[] = {81.508515815, 80.219780220, 91.208791209, 94.565217391};
  for (std::size_t i = 0; i < 4; ++i) {
    const PathResult& path = judged.paths[i];
    EXPECT_NEAR(path.outage_s.value_or(-1), outages[i], 1e-6) << path.path.id;
    EXPECT_NEAR(path.error_s.value_or(-1), errors[i], 1e-6) << path.path.id;
    EXPECT_NEAR(path.availability_pct.value_or(-1), available[i], 1e-6) << path.path.id;
    EXPECT_TRUE(path.instrument.valid) << path.path.id << ": " << path.instrument.why;
  }
  EXPECT_NEAR(judged.confirmed_s.value_or(-1), 5.407133002, 1e-6);
}

TEST_F(RecordedRun, SaysWhoMadeTheErrors) {
  ASSERT_TRUE(reader_);
  const RepeatResult judged = repeat();
  std::vector<std::string> told;
  for (const ErrorWindow& each : judged.paths.at(0).errors) {
    told.push_back(each.error.to_string() + " " + to_string(each.layer) + " " + std::to_string(each.count));
  }
  EXPECT_THAT(told, ::testing::UnorderedElementsAre("login_timeout pooler 1", "login_retry pooler 57",
                                                    "closed balancer 18"));
}

/// Three containers of one machine share its clock: whatever offset is measured is the measure's own error.
TEST_F(RecordedRun, MeasuresTheClockOfItsOwnMachineTrue) {
  ASSERT_TRUE(reader_);
  const RunResult run = judge_run(run_input(*reader_));
  ASSERT_THAT(run.clocks, SizeIs(3));
  for (const ClockResult& clock : run.clocks) {
    ASSERT_TRUE(clock.offset_s && clock.error_s) << clock.node << ": " << clock.why_not;
    EXPECT_LE(std::abs(*clock.offset_s), *clock.error_s) << clock.node;
    EXPECT_EQ(clock.steps, 0u) << clock.node;
  }
}

TEST_F(RecordedRun, SawNoSplitBrain) {
  ASSERT_TRUE(reader_);
  const RepeatResult judged = repeat();
  ASSERT_TRUE(judged.split_brain);
  EXPECT_FALSE(judged.split_brain->proven);
  EXPECT_FALSE(judged.split_brain->possible);
}

}  // namespace
}  // namespace pgfiredrill
