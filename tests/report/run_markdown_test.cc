#include "report/run_markdown.h"

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

TEST(RunMarkdown, SaysWhatATicketNeeds) {
  const std::string text = render_run_markdown(mixed_run());
  EXPECT_THAT(text, StartsWith("# ❌ failed: smoke on postgres-cluster\n"));
  EXPECT_THAT(text, HasSubstr("1 of 4 drills passed, 1 failed, 1 inconclusive, 1 refused. Run "
                              "`20261130T184500Z-smoke`"));
  EXPECT_THAT(text, HasSubstr("**kill-postmaster: ❌ failed**: writes were down 41.2 s (limit 30 s)"));
  EXPECT_THAT(text, HasSubstr("- outage\\_s (read\\_write, fresh) was 41.2 s, limit 30 s\n"));
  EXPECT_THAT(text,
              HasSubstr("| `pg1:5000/read_write/fresh` | 41.2 s | 41.2 s | 0 s | 41.3 s | 75.50 % | 0.05 s | "
                        "08P01 ×41 (pooler), refused ×3 (balancer) |\n"));
  EXPECT_THAT(text, HasSubstr("| 5,000 | 4,812 | 3 | 0 | 0 | 8 | 5 | 0 | 180 | 0 |\n"));
  EXPECT_THAT(
      text,
      HasSubstr("Lost numbers (stream: first to last): 1: 4810 to 4812 (by pgnode01 on timeline 1); 1.5 "
                "KiB of WAL"));
  EXPECT_THAT(text, HasSubstr("Ledger on `pgnode03` not read: it did not reach the fence"));
  EXPECT_THAT(text, HasSubstr("| `pg1:5000/read_write/fresh` (not to be trusted) | not measured |"));
  EXPECT_THAT(text, HasSubstr("- **warn** `list:6432+tsa`: PgBouncer still says"));
  EXPECT_THAT(
      text, HasSubstr("```\npgfiredrill run smoke -i inventory --confirm postgres-cluster --seed 42\n```\n"));
  EXPECT_THAT(text, HasSubstr("- not measured by this version: "));
}

/// Every row of a table has as many cells as its head: a renderer drops what is too many.
TEST(RunMarkdown, ItsTablesHoldTogether) {
  for (const RunResult& run : {passed_run(), mixed_run(), hostile_run()}) {
    std::size_t cells = 0;
    const std::string text = render_run_markdown(run);
    for (const std::string_view line : lines(text)) {
      if (!line.starts_with('|')) {
        cells = 0;
        continue;
      }
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
      if (cells == 0) cells = bars;
      EXPECT_EQ(bars, cells) << line;
    }
  }
}

/// Without what stands in code, where nothing is markup.
std::string without_code(const std::string& text) {
  std::string kept = text.substr(0, text.find("\n```"));
  for (std::size_t at = 0; (at = kept.find('`', at)) != std::string::npos;) {
    if (at > 0 && kept[at - 1] == '\\') {
      ++at;
      continue;
    }
    const std::size_t end = kept.find('`', at + 1);
    EXPECT_NE(end, std::string::npos) << "a code span that does not end";
    kept.erase(at, end - at + 1);
  }
  return kept;
}

TEST(RunMarkdown, ShowsWhatBecameOfTheSessionsThatWereHeld) {
  const std::string text = render_run_markdown(passed_run());
  EXPECT_THAT(text, HasSubstr("| `pg1:5000` | idle | works | 9.5 s | 4.0 ms | 3, the last at 8.5 s | – |"));
  EXPECT_THAT(
      text,
      HasSubstr("| `pg1:5000` | in\\_transaction | **error** | 0.6 s | 300.0 ms | – | 57P01 (postgres): "));
  EXPECT_THAT(text, HasSubstr("| `pg1:5000` | long\\_query | **stuck** | 0 s | 31.5 s |"));
  EXPECT_THAT(text, HasSubstr("| `pg1:5001/read_only/pooled` | 2,000 | 40.0 ms | 2.5 s |"));
}

TEST(RunMarkdown, LetsNoTextBeMarkup) {
  const std::string text = without_code(render_run_markdown(hostile_run()));
  EXPECT_THAT(text, Not(HasSubstr("<b")));
  EXPECT_THAT(text, Not(HasSubstr("\n# h")));
  for (const std::string_view line : lines(text)) {
    // Inside an element's line nothing but HTML is markup.
    if (line.starts_with("<details>")) continue;
    EXPECT_THAT(std::string{line}, Not(HasSubstr(" *y*")));
  }
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
}

/// The block that is there to be copied cannot be closed by what stands in it.
TEST(RunMarkdown, FencesWhateverTheReproLineHolds) {
  RunResult run = passed_run();
  run.manifest.repro = "pgfiredrill run '```' ````";
  EXPECT_THAT(render_run_markdown(run), HasSubstr("`````\npgfiredrill run '```' ````\n`````\n"));
}

TEST(RunMarkdown, IsCalmAboutAnEmptyRun) {
  EXPECT_THAT(render_run_markdown(RunResult{}), HasSubstr("no drill"));
}

}  // namespace
}  // namespace pgfiredrill
