#include "report/run_text.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "tests/report/sample_run.h"

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using testing::hostile_run;
using testing::mixed_run;
using ::testing::Not;
using testing::passed_run;
using ::testing::StartsWith;

std::string render(const RunResult& run, bool colours = false, std::size_t width = 100) {
  return render_run_text(run, "runs/20261130T184500Z-smoke", TerminalStyle{colours}, width);
}

/// Line breaks do not matter where only the words are looked at.
std::string flat(const std::string& text) {
  return one_line(text, 100'000);
}

TEST(RunText, SaysTheVerdictFirst) {
  EXPECT_THAT(render(passed_run()), StartsWith("PASSED  postgres-cluster, suite smoke: 1 drill passed\n"));
  EXPECT_THAT(render(mixed_run()),
              StartsWith("FAILED  postgres-cluster, suite smoke: 1 of 4 drills passed, 1 failed, 1 "
                         "inconclusive, 1 refused\n"));
  RunResult run = passed_run();
  run.verdict = Verdict::inconclusive;
  EXPECT_THAT(render(run), StartsWith("INCONCLUSIVE  "));
}

TEST(RunText, SaysADrillInOneSentence) {
  EXPECT_THAT(flat(render(passed_run())),
              HasSubstr("passed switchover: writes were down 6.8 s (limit 30 s), reads 0 s; 0 of 4,812 "
                        "acknowledged writes lost; fully healthy after 8.8 s"));
}

// "Down 12.8 s (limit 1 s)" of a drill that passed by another way in would only puzzle.
TEST(RunText, HoldsTheWorstPathAgainstNoLimitOfTheBest) {
  RunResult run = passed_run();
  run.drills[0].plan.expectations[0].over = Fold::min;
  EXPECT_THAT(flat(render(run)), HasSubstr("writes were down 6.8 s, reads 0 s;"));
}

TEST(RunText, SaysMinMedianMaxOverRepeats) {
  EXPECT_THAT(flat(render(mixed_run())),
              HasSubstr("switchover, 3 repeats: writes were down 6.1 / 6.8 / 8.2 s (min / median / max, "
                        "limit 30 s), reads 0 s; 0 of 14,436 acknowledged writes lost"));
}

TEST(RunText, SaysWhyADrillDidNotPass) {
  const std::string text = flat(render(mixed_run()));
  EXPECT_THAT(text, HasSubstr("FAILED kill-postmaster: writes were down 41.2 s"));
  EXPECT_THAT(text, HasSubstr("- outage_s (read_write, fresh) was 41.2 s, limit 30 s - 3 of 4,812 "
                              "acknowledged writes are not on the leader INCONCLUSIVE"))
      << "each reason once";
  EXPECT_THAT(text, HasSubstr("REFUSED power-off - pgnode03 lags by 1.2 GiB"));
  EXPECT_THAT(text, HasSubstr("outage of writes not measured"));
}

TEST(RunText, SaysWhatCannotBeTrustedAndWhy) {
  const std::string text = flat(render(mixed_run()));
  EXPECT_THAT(text, HasSubstr("- stop-pooler: pg1:5000/read_write/fresh cannot be trusted: this program's "
                              "own loop stalled for 0.31 s"));
  EXPECT_THAT(text, HasSubstr("- stop-pooler: durability not measured: the ledger was not read back"));
  EXPECT_THAT(text, HasSubstr("- switchover (repeats 1, 2, 3): the ledger on pgnode03 was not read"));
  EXPECT_THAT(text, Not(HasSubstr("rpo_bytes"))) << "that nothing was lost is no gap";
  EXPECT_THAT(text, HasSubstr("Not measured by this version: phases of the outage"));
}

TEST(RunText, SaysThatTheRecordHasNoEnd) {
  RunResult run = passed_run();
  EXPECT_THAT(flat(render(run)), Not(HasSubstr("the record has no end")));
  run.ended = false;
  EXPECT_THAT(flat(render(run)), HasSubstr("the record has no end"));
}

TEST(RunText, SaysAtLeastWhereAnOutageHadNotEnded) {
  RunResult run = passed_run();
  run.drills[0].repeats[0].paths[0].windows[0].censored = true;
  const std::string text = flat(render(run));
  EXPECT_THAT(text, HasSubstr("writes were down at least 6.8 s"));
  EXPECT_THAT(text,
              HasSubstr("pg1:5000/read_write/fresh was still down when observation ended, after 6.8 s"));
}

/// A path that leads to one server goes down with it by design, whatever applications see.
TEST(RunText, CountsOnlyPathsThatApplicationsDependOn) {
  RunResult run = passed_run();
  auto& paths = run.drills[0].repeats[0].paths;
  paths.push_back(paths[0]);
  paths.back().path.pinned_member = "pgnode01";
  paths.back().outage_s = 100.0;
  paths.push_back(paths[0]);
  paths.back().path.needed_for_steady_state = false;
  paths.back().outage_s = 200.0;
  EXPECT_THAT(render(run), HasSubstr("writes were down 6.8 s"));
  paths.push_back(paths[0]);
  paths.back().outage_s = 7.5;
  EXPECT_THAT(render(run), HasSubstr("writes were down 7.5 s"));
}

TEST(RunText, DoesNotRoundAFailureAway) {
  RunResult run = mixed_run();
  run.drills[1].repeats[0].expectations[0].measured = 30.02;
  EXPECT_THAT(flat(render(run)), HasSubstr("was 30.02, limit 30 s"));
}

TEST(RunText, SaysWhereTheRestIsAndHowToRunItAgain) {
  EXPECT_THAT(render(passed_run()),
              HasSubstr("runs/20261130T184500Z-smoke/report.json, report.md, junit.xml\n"));
  RunResult run = passed_run();
  run.manifest.repro += std::string(150, 'x');
  EXPECT_THAT(render(run), HasSubstr("\nThe same again: " + run.manifest.repro + "\n"))
      << "to be copied whole";
}

TEST(RunText, ShowsFindingsWithTheirRemedy) {
  EXPECT_THAT(render(mixed_run()),
              HasSubstr("  - warn, list:6432+tsa: PgBouncer still says that the new leader is a standby.\n"
                        "    Remedy: Do without target_session_attrs behind PgBouncer.\n"));
}

/// All but the two lines that are there to be copied.
TEST(RunText, KeepsToTheWidth) {
  for (const std::size_t width : {60u, 100u, 300u}) {
    RunResult run = mixed_run();
    run.manifest.repro.clear();
    run.drills.erase(run.drills.begin());
    const std::string text = render_run_text(run, "", TerminalStyle{false}, width);
    for (const std::string_view line : lines(text))
      EXPECT_LE(display_width(std::string{line}), std::min<std::size_t>(width, 120)) << line;
  }
}

TEST(RunText, DoesNotFloodTheTerminal) {
  RunResult run = mixed_run();
  run.drills[1].repeats[0].reasons.clear();
  for (int i = 0; i < 50; ++i) run.drills[1].repeats[0].reasons.push_back("reason " + std::to_string(i));
  const std::string text = render(run);
  EXPECT_THAT(text, HasSubstr("more in report.json"));
  EXPECT_THAT(text, Not(HasSubstr("reason 20")));
}

TEST(RunText, SaysWhyNoDrillWasRun) {
  RunResult run = passed_run();
  run.drills.clear();
  run.verdict = Verdict::refused;
  run.reasons = {"another run holds pg1"};
  EXPECT_THAT(render(run),
              StartsWith("REFUSED  postgres-cluster, suite smoke: no drill\n  - another run holds pg1\n"));
}

/// What was refused has one reason; that nothing was measured then goes without saying.
TEST(RunText, SaysOfADrillThatWasRefusedOnlyWhy) {
  RunResult run = mixed_run();
  for (DrillResult& drill : run.drills) {
    drill.verdict = Verdict::refused;
    for (RepeatResult& repeat : drill.repeats) {
      repeat.verdict = Verdict::refused;
      repeat.injected_at.clear();
      repeat.reasons = {"Patroni is paused."};
    }
  }
  const std::string text = render(run);
  EXPECT_THAT(text, HasSubstr("no fault was injected\n              - Patroni is paused."));
  EXPECT_THAT(text, Not(HasSubstr("limit")));
  EXPECT_THAT(text, Not(HasSubstr("cannot be trusted")));
}

TEST(RunText, SaysWhyARunIsWorseThanItsDrills) {
  RunResult run = passed_run();
  run.verdict = Verdict::inconclusive;
  run.ended = false;
  run.reasons = {"switchover: it was a bad day", "the record does not tell the run's end"};
  const std::string text = render(run);
  EXPECT_THAT(text, HasSubstr("1 drill passed\n  - the record does not tell the run's end\n"));
  EXPECT_THAT(text, Not(HasSubstr("bad day"))) << "the drill says that itself, where it did not pass";
  EXPECT_THAT(text, Not(HasSubstr("the record has no end"))) << "that was said";
}

TEST(RunText, HasColoursOnlyWhereTheyAreWanted) {
  EXPECT_THAT(render(mixed_run(), false), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render(mixed_run(), true), HasSubstr("\x1b["));
}

TEST(RunText, LetsNoServerWriteToTheTerminal) {
  const std::string text = render(hostile_run());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x01")));
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
  EXPECT_THAT(text, Not(HasSubstr("\n# h"))) << "no line of its own";
}

TEST(RunText, IsCalmAboutAnEmptyRun) {
  EXPECT_THAT(render(RunResult{}), HasSubstr("INCONCLUSIVE  (a cluster without a name)"));
}

}  // namespace
}  // namespace pgfiredrill
