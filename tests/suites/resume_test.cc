#include "suites/resume.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;

DrillPlan plan(const std::string& name) {
  DrillPlan made;
  made.name = name;
  made.fault = {.kind = "patroni-switchover", .target = "leader"};
  return made;
}

RunResult earlier() {
  RunResult run;
  run.manifest.run_id = "run-1";
  run.manifest.suite = "go-live";
  run.manifest.cluster.name = "postgres-cluster";
  run.manifest.cluster.system_identifier = "7";
  for (const auto& [name, verdict] : {std::pair{"good", Verdict::passed},
                                      {"bad", Verdict::failed},
                                      {"unsure", Verdict::inconclusive},
                                      {"stopped", Verdict::aborted},
                                      {"skipped", Verdict::skipped},
                                      {"refused", Verdict::refused}}) {
    run.drills.push_back(
        {.plan = plan(name), .verdict = verdict, .reasons = {}, .repeats = {}, .summary = {}});
  }
  return run;
}

ClusterDescription cluster() {
  ClusterDescription described;
  described.name = "postgres-cluster";
  described.system_identifier = "7";
  return described;
}

TEST(Resume, TakesOverWhatIsFinalAndNothingElse) {
  const ContinuedRun continued = continue_run(earlier(), "go-live", cluster()).value();
  EXPECT_EQ(continued.run_id, "run-1");
  EXPECT_EQ(measured_before(continued, plan("good")).value().verdict, Verdict::passed);
  EXPECT_EQ(measured_before(continued, plan("bad")).value().verdict, Verdict::failed);
  for (const char* again : {"unsure", "stopped", "skipped", "refused", "new"}) {
    EXPECT_FALSE(measured_before(continued, plan(again))) << again;
  }
}

TEST(Resume, ADrillThatWasChangedIsRunAgain) {
  const ContinuedRun continued = continue_run(earlier(), "go-live", cluster()).value();
  DrillPlan other = plan("good");
  other.fault.target = "replica";
  EXPECT_FALSE(measured_before(continued, other));
  DrillPlan more = plan("good");
  more.repeats = 2;
  EXPECT_FALSE(measured_before(continued, more));
  DrillPlan further = plan("good");
  further.then.push_back(further.fault);
  EXPECT_FALSE(measured_before(continued, further));
}

// Of three runs in a row the third still knows where the first drill was measured.
TEST(Resume, GoesBackToTheRunThatMeasured) {
  RunResult second = earlier();
  second.manifest.run_id = "run-2";
  second.drills[0].verdict = Verdict::skipped;
  second.drills[0].plan.measured = {"run-1", Verdict::passed};
  const ContinuedRun continued = continue_run(second, "go-live", cluster()).value();
  EXPECT_EQ(measured_before(continued, plan("good")).value().run, "run-1");
  EXPECT_EQ(measured_before(continued, plan("bad")).value().run, "run-2");
}

TEST(Resume, RefusesAnotherSuiteAndAnotherCluster) {
  EXPECT_THAT(continue_run(earlier(), "smoke", cluster()).error().message(), HasSubstr("go-live"));
  ClusterDescription rebuilt = cluster();
  rebuilt.system_identifier = "8";
  EXPECT_FALSE(continue_run(earlier(), "go-live", rebuilt)) << "of the same name, and not the same";
}

}  // namespace
}  // namespace pgfiredrill
