#include "record/error_class.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

TEST(ErrorClass, KeepsEverySqlstateApart) {
  for (const char* state : {"00000", "25006", "57P01", "08P01", "ZZZZZ", "0A000"}) {
    const auto error = ErrorClass::sqlstate(state);
    EXPECT_EQ(error.to_string(), state);
    EXPECT_TRUE(error.is_sqlstate(state));
    EXPECT_FALSE(error.none());
    EXPECT_EQ(ErrorClass::from_code(error.code()), error);
  }
  EXPECT_NE(ErrorClass::sqlstate("57P01"), ErrorClass::sqlstate("57P10"));
}

TEST(ErrorClass, TakesNothingElseForAnSqlstate) {
  for (const char* text : {"", "2500", "250066", "25oo6", "25 06",
                           "25\xff"
                           "06"})
    EXPECT_TRUE(ErrorClass::sqlstate(text).is(Trouble::other)) << text;
}

TEST(ErrorClass, NamesTroubles) {
  EXPECT_EQ(ErrorClass{Trouble::misrouted}.to_string(), "misrouted");
  EXPECT_EQ(ErrorClass{}.to_string(), "none");
  EXPECT_TRUE(ErrorClass{}.none());
  EXPECT_STREQ(to_string(Trouble::other), "other");
  EXPECT_STREQ(to_string(Layer::routing), "routing");
}

/// Newer versions add numbers; an older one must still be able to say that two errors differ.
TEST(ErrorClass, KeepsNumbersItDoesNotKnow) {
  EXPECT_EQ(ErrorClass::from_code(4711).to_string(), "unknown 4711");
  EXPECT_EQ(ErrorClass::from_code(0xffff'ffff).to_string(), "unknown 4294967295");
  EXPECT_NE(ErrorClass::from_code(4711), ErrorClass::from_code(4712));
}

}  // namespace
}  // namespace pgfiredrill
