#include "base/text.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Text, TrimsEveryBlank) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
}

TEST(Text, CutsLinesOfEveryKind) {
  EXPECT_THAT(lines("a\nb\r\n\nc"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(lines(""), IsEmpty());
}

TEST(Text, SplitsListsAndLeavesOutWhatIsEmpty) {
  EXPECT_THAT(split_list(" a, b ,,c,", ','), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_list("", ','), IsEmpty());
}

TEST(Text, JoinsWhatIsThere) {
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, b");
  EXPECT_EQ(join({"", "a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, SplitsWords) {
  EXPECT_THAT(words("  bind\t*:5000  ssl "), ElementsAre("bind", "*:5000", "ssl"));
}

TEST(Text, ReadsOnlyWholeNumbers) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "0x10", "9223372036854775808", "1.5"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(Text, ReadsOnlyPortsThatExist) {
  EXPECT_EQ(parse_port("65535"), 65535);
  for (const char* text : {"0", "65536", "-1", "postgres", "4294967297"}) {
    EXPECT_EQ(parse_port(text), std::nullopt) << text;
  }
}

TEST(Text, ReadsBooleansAsConfigurationFilesWriteThem) {
  EXPECT_EQ(parse_bool(" Yes"), true);
  EXPECT_EQ(parse_bool("OFF"), false);
  EXPECT_EQ(parse_bool("maybe"), std::nullopt);
}

}  // namespace
}  // namespace pgfiredrill
