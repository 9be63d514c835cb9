#include "inventories/shell_words.h"

#include <string>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> words_of(std::string_view text) {
  const auto words = shell_words(text);
  EXPECT_TRUE(words.has_value()) << text;
  return words ? *words : std::vector<std::string>{};
}

TEST(ShellWords, SeparateAtBlanksOutsideQuotes) {
  EXPECT_THAT(words_of("  -o  A=b\t-C\n"), ElementsAre("-o", "A=b", "-C"));
  EXPECT_THAT(words_of("-o 'ProxyCommand=ssh -W %h:%p b' x"),
              ElementsAre("-o", "ProxyCommand=ssh -W %h:%p b", "x"));
  EXPECT_THAT(words_of(R"(-o ProxyCommand="ssh -W %h:%p b")"),
              ElementsAre("-o", "ProxyCommand=ssh -W %h:%p b"));
}

TEST(ShellWords, KeepWhatQuotesProtect) {
  EXPECT_THAT(words_of(R"('a\b"c')"), ElementsAre(R"(a\b"c)"));
  EXPECT_THAT(words_of(R"("a\"b\\c\d'e")"), ElementsAre(R"(a"b\c\d'e)"));
  EXPECT_THAT(words_of(R"(a\ b\'c)"), ElementsAre("a b'c"));
}

TEST(ShellWords, ExpandNothing) {
  EXPECT_THAT(words_of("$HOME `id` $(id) * ~ ; | #x"),
              ElementsAre("$HOME", "`id`", "$(id)", "*", "~", ";", "|", "#x"));
}

TEST(ShellWords, LeaveOutEmptyWords) {
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(R"(a "" '' b)"), ElementsAre("a", "b"));
}

TEST(ShellWords, RefuseWhatAShellWouldWaitOn) {
  for (const char* text : {"'example-secret", "\"example-secret", "\"example-secret\\", "example-secret\\"}) {
    const auto words = shell_words(text);
    ASSERT_FALSE(words) << text;
    EXPECT_EQ(words.error().kind, FailureKind::malformed);
    EXPECT_THAT(words.error().message(), Not(HasSubstr("example-secret")));
  }
}

TEST(ShellWords, RefuseControlCharactersInAWord) {
  for (const std::string& text : {"a\0b"s, "'a\nb'"s, "\"a\x1b\""s, "a\\\nb"s, "a\x7f"s})
    EXPECT_FALSE(shell_words(text)) << text;
}

}  // namespace
}  // namespace pgfiredrill
