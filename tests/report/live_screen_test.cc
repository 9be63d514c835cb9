#include "report/live_screen.h"

#include <limits>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

LivePath path(const std::string& id, PathHealth health = PathHealth::up, double down_s = 0,
              const std::string& error = {}) {
  return {.id = id, .health = health, .down_s = down_s, .longest_s = down_s, .last_error = error};
}

RunProgress sample() {
  return {
      .suite = "smoke",
      .cluster = "postgres-cluster",
      .drill = "kill-postmaster",
      .drill_number = 2,
      .drill_count = 5,
      .repeat = 1,
      .repeats = 3,
      .stage = "observe",
      .stage_s = 12.44,
      .stage_of_s = 25,
      .since_injection_s = 14.2,
      .elapsed_s = 192,
      .topology = "leader pgnode02, timeline 5; pgnode01 stopped",
      .gaps = {"pgnode01 does not stream", "pg1:5000 knows no leader"},
      .paths = {path("pg1:5000/read_write/fresh", PathHealth::down, 3.2, "08P01 x41"),
                path("pg1:5000/read_write/pooled", PathHealth::partial, 0.5),
                path("pg1:5001/read_only/fresh"), path("pg1:5001/read_only/pooled", PathHealth::starting)},
      .notice = "reads are down for 55 s, the guard aborts at 60 s"};
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  return text;
}

std::string render(const RunProgress& screen, std::size_t width = 80, std::size_t height = 24) {
  return joined(render_live_screen(screen, TerminalStyle{false}, width, height));
}

/// Many paths, every seventh down.
RunProgress crowded() {
  RunProgress screen = sample();
  screen.paths.clear();
  for (int i = 0; i < 60; ++i) {
    const std::string id = "pg" + std::to_string(i / 4) + ":5000/read_write/fresh-" + std::to_string(i);
    screen.paths.push_back(i % 7 == 3 ? path(id, PathHealth::down, 10 + i, "refused x9") : path(id));
  }
  return screen;
}

TEST(LiveScreen, SaysWhatIsGoingOn) {
  const std::string text = render(sample());
  EXPECT_THAT(text, StartsWith("smoke on postgres-cluster"));
  EXPECT_THAT(text, HasSubstr("t+14.2 s  03:12\n"));
  EXPECT_THAT(text, HasSubstr("drill 2 of 5, kill-postmaster, repeat 1 of 3: observe 12.4 s of 25.0 s\n"));
  EXPECT_THAT(text, HasSubstr("leader pgnode02, timeline 5; pgnode01 stopped\n"));
  EXPECT_THAT(text, HasSubstr("not fully healthy: pgnode01 does not stream; pg1:5000 knows no leader\n"));
  EXPECT_THAT(text, HasSubstr("\n! reads are down for 55 s, the guard aborts at 60 s\n"));
}

TEST(LiveScreen, SaysTheStateOfEachPathInWordsGroupedByEntryPoint) {
  const std::string text = render(sample());
  EXPECT_THAT(text, HasSubstr("  pg1:5000  RW fresh   DOWN 3.2 s       08P01 x41\n"
                              "            RW pooled  partial 0.5 s    was down 0.5 s\n"
                              "  pg1:5001  RO fresh   up\n"
                              "            RO pooled  starting\n"));
}

TEST(LiveScreen, FoldsWhatIsUpWhereNotAllFits) {
  const auto lines = render_live_screen(crowded(), TerminalStyle{false}, 80, 24);
  EXPECT_EQ(lines.size(), 24u);
  const std::string text = joined(lines);
  for (int i = 3; i < 60; i += 7)
    EXPECT_THAT(text, HasSubstr("fresh-" + std::to_string(i) + " ")) << "it is down";
  EXPECT_THAT(text, HasSubstr(" more up\n"));
  EXPECT_THAT(text, HasSubstr("! reads are down"));
}

TEST(LiveScreen, CountsWhatIsDownWhereNotEvenThatFits) {
  const std::string text = render(crowded(), 80, 12);
  EXPECT_THAT(text, HasSubstr("5 more DOWN, 51 more up\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("DOWN 69.0 s"), Not(HasSubstr("DOWN 13.0 s"))))
      << "the longest outages stay";
}

TEST(LiveScreen, FitsEveryTerminal) {
  for (const RunProgress& screen : {sample(), crowded(), RunProgress{}}) {
    for (const bool colours : {false, true}) {
      for (const std::size_t width : {20u, 33u, 80u, 200u}) {
        for (const std::size_t height : {0u, 1u, 5u, 9u, 24u, 100u}) {
          const auto lines = render_live_screen(screen, TerminalStyle{colours}, width, height);
          EXPECT_LE(lines.size(), height);
          for (const std::string& line : lines) {
            EXPECT_LE(display_width(line), width) << line;
            EXPECT_EQ(line.find('\n'), std::string::npos);
          }
        }
      }
    }
  }
}

/// Colours come on top of the words.
TEST(LiveScreen, NeverSaysAnythingByColourAlone) {
  const auto plain = render_live_screen(sample(), TerminalStyle{false}, 80, 24);
  auto styled = render_live_screen(sample(), TerminalStyle{true}, 80, 24);
  ASSERT_EQ(plain.size(), styled.size());
  bool any = false;
  for (std::size_t i = 0; i < styled.size(); ++i) {
    for (std::size_t at = 0; (at = styled[i].find('\x1b')) != std::string::npos; any = true)
      styled[i].erase(at, styled[i].find('m', at) - at + 1);
    EXPECT_EQ(styled[i], plain[i]);
  }
  EXPECT_TRUE(any);
}

TEST(LiveScreen, LetsNoServerWriteToTheTerminal) {
  RunProgress screen = sample();
  screen.topology = screen.notice = screen.drill = screen.gaps[0] = "\x1b[2J\n\x07 evil";
  screen.paths[0].id = "\x1b]0;\x07/\x1b[31m/\n";
  screen.paths[0].last_error = "\x1b[31m";
  EXPECT_THAT(render(screen), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render_live_line(screen), AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n"))));
}

TEST(LiveLine, SaysTheWorstFirst) {
  EXPECT_EQ(
      render_live_line(sample()),
      "t+14.2s observe  pg1:5000 RW fresh DOWN 3.2 s (08P01 x41), pg1:5000 RW pooled partial 0.5 s, 1 more "
      "starting, 1 more up  ! reads are down for 55 s, the guard aborts at 60 s");
}

TEST(LiveLine, IsShortWhereAllIsWell) {
  RunProgress screen = sample();
  for (LivePath& one : screen.paths) one.health = PathHealth::up;
  screen.notice.clear();
  screen.stage = "baseline";
  screen.since_injection_s.reset();
  EXPECT_EQ(render_live_line(screen), "03:12 baseline  all 4 paths up");
}

TEST(LiveLine, NamesAFewAndCountsTheRest) {
  const std::string line = render_live_line(crowded());
  EXPECT_THAT(line, HasSubstr("fresh-59 DOWN 69.0 s (refused x9)"));
  EXPECT_THAT(line, HasSubstr("6 more DOWN, 51 more up"));
}

TEST(LiveLine, IsCalmAboutNothing) {
  RunProgress screen;
  screen.elapsed_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(render_live_line(screen), "00:00");
}

}  // namespace
}  // namespace pgfiredrill
