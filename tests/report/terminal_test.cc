#include "report/terminal.h"

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

const TerminalStyle kPlain{false};
const TerminalStyle kColours{true};

TEST(DisplayWidth, CountsWhatIsSeen) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("né"), 2u);
  EXPECT_EQ(display_width(kColours.bad("abc")), 3u);
  EXPECT_EQ(display_width("\x1b[31"), 0u) << "a code without an end";
}

TEST(TerminalStyle, IsPlainWhereColoursAreNotWanted) {
  EXPECT_EQ(kPlain.bad("down"), "down");
  EXPECT_EQ(kColours.bad(""), "");
  EXPECT_EQ(kColours.bad("down"), "\x1b[31;1mdown\x1b[0m");
}

TEST(TextTable, AlignsStyledCellsAndEndsWithoutSpaces) {
  TextTable table{{"name", "state", "note"}};
  table.add({"pg1", kColours.bad("down"), "x"});
  table.add({"pgnode02", "up", ""});
  EXPECT_EQ(table.render(kPlain),
            "  name      state  note\n"
            "  pg1       \x1b[31;1mdown\x1b[0m   x\n"
            "  pgnode02  up\n");
}

TEST(TextTable, LeavesOutColumnsThatAreEmptyEverywhere) {
  TextTable table{{"name", "tags", "state"}};
  table.add({"pg1", "", "up"});
  EXPECT_EQ(table.render(kPlain), "  name  state\n  pg1   up\n");
}

TEST(WrapText, BreaksBetweenWords) {
  EXPECT_EQ(wrap_text("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrap_text("averyveryverylongword x", 9, 2), "  averyveryverylongword\n  x\n");
  EXPECT_EQ(wrap_text("", 9, 2), "");
}

TEST(BytesText, ChoosesTheUnit) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(100LL << 20), "100 MiB");
  EXPECT_EQ(bytes_text(5000LL << 40), "5000 TiB");
}

}  // namespace
}  // namespace pgfiredrill
