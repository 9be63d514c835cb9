#include "fault-injectors/run_name.h"

#include <gtest/gtest.h>

namespace pgfiredrill::fault {
namespace {

TEST(RunId, IsOneSafeFileName) {
  EXPECT_TRUE(is_run_id("20261130T184500Z-smoke"));
  EXPECT_TRUE(is_run_id("a_b.c"));
  for (const char* bad : {"", ".", "..", ".hidden", "a/b", "a b", "a\nb", "a;b", "\xc3\xa4", "$(x)"}) {
    EXPECT_FALSE(is_run_id(bad)) << bad;
    EXPECT_EQ(check_run_id(bad).error().kind, FailureKind::malformed);
  }
  EXPECT_FALSE(is_run_id(std::string(129, 'a')));
}

TEST(Word, HoldsAnyTextAndGivesItBack) {
  for (const std::string text :
       {"plain-1.2_3", "", ".", "..", "a/b", "a b\n", "100%", "%41", "\xff\x01", "ä"}) {
    const std::string word = encode_word(text);
    EXPECT_EQ(word.find_first_of("/ \n"), std::string::npos) << word;
    EXPECT_FALSE(word.starts_with('.')) << word;
    EXPECT_EQ(decode_word(word).value(), text);
  }
}

TEST(Word, IsReadStrictly) {
  for (const char* bad : {"%", "%4", "%zz", "a/b", "a b", "%41", "%2f", "."}) {
    EXPECT_FALSE(decode_word(bad)) << bad;
  }
}

}  // namespace
}  // namespace pgfiredrill::fault
