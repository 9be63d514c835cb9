#include "base/failure.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace pgfiredrill {
namespace {

const Failure kRefused{.kind = FailureKind::unreachable,
                       .what = "log in by ssh",
                       .where = "pg2",
                       .came_back = "Connection refused",
                       .hint = "Is sshd running?"};

TEST(Failure, SaysWhatWhereWhatCameBackAndWhatToDo) {
  EXPECT_EQ(kRefused.message(), "cannot log in by ssh on pg2: Connection refused. Is sshd running?");
}

TEST(Failure, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ((Failure{.what = "read x"}.message()), "cannot read x");
  EXPECT_EQ((Failure{.what = "read x", .came_back = "It ended.", .hint = "Try."}.message()),
            "cannot read x: It ended. Try.");
}

TEST(Failure, BecomesAnErrorWhereAValueIsTakenForGranted) {
  const Result<int> none{kRefused};
  try {
    (void)none.value();
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_class(), ExitClass::internal_error);
    EXPECT_STREQ(error.what(), kRefused.message().c_str());
  }
}

TEST(OneLine, FoldsLinesAndControlCharacters) {
  EXPECT_EQ(one_line("  a\n\tb\x1b[31m\x00 c "), "a b [31m");
  EXPECT_EQ(one_line(std::string{"a\0b", 3}), "a b");
}

TEST(OneLine, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdefg", 6), "abcdef...");
  EXPECT_EQ(one_line("aé", 2), "a...");  // é is two bytes, the second would be cut off
  EXPECT_EQ(one_line(std::string(10'000'000, 'x'), 10), "xxxxxxxxxx...");
}

}  // namespace
}  // namespace pgfiredrill
