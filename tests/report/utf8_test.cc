#include "report/utf8.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

TEST(Printable, IsOneLineOfValidTextThatNoTerminalObeys) {
  EXPECT_EQ(printable("Zürich\n✅ \x1b[2J"), "Zürich ✅ [2J");
  EXPECT_EQ(printable("a\xff\xc3"), "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb"),
            "a2Jb")
      << "U+009B begins a sequence as ESC [ does";
}

TEST(Printable, IsNotEndless) {
  EXPECT_EQ(printable(std::string(1'000, 'x'), 10), std::string(10, 'x') + "...");
}

TEST(FirstCharacter, TellsItsLength) {
  for (const std::string_view text : {"a", "ü", "✅", "𝄞"}) {
    EXPECT_TRUE(first_character(text).valid);
    EXPECT_EQ(first_character(text).bytes, text.size());
  }
  EXPECT_EQ(first_character("𝄞").code, 0x1d11eu);
  for (const std::string_view bad :
       {"\x80", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "\xc3("}) {
    EXPECT_FALSE(first_character(bad).valid);
    EXPECT_EQ(first_character(bad).bytes, 1u);
  }
}

}  // namespace
}  // namespace pgfiredrill
