#include "base/verdict.h"

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

TEST(ExitClass, TheMoreSeriousWins) {
  // In the order of precedence that the README promises.
  const ExitClass order[] = {ExitClass::revert_incomplete,
                             ExitClass::internal_error,
                             ExitClass::aborted,
                             ExitClass::expectation_failed,
                             ExitClass::inconclusive,
                             ExitClass::preflight_refused,
                             ExitClass::passed};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    for (std::size_t j = i; j < std::size(order); ++j) {
      EXPECT_EQ(more_serious(order[i], order[j]), order[i]);
      EXPECT_EQ(more_serious(order[j], order[i]), order[i]);
    }
  }
}

TEST(Verdict, TheWorseOfTwoStands) {
  EXPECT_EQ(worse(Verdict::passed, Verdict::inconclusive), Verdict::inconclusive);
  EXPECT_EQ(worse(Verdict::failed, Verdict::inconclusive), Verdict::failed);
  EXPECT_EQ(worse(Verdict::passed, Verdict::skipped), Verdict::skipped);
}

TEST(Verdict, StandsForAnExitCode) {
  EXPECT_EQ(exit_class_of(Verdict::skipped), ExitClass::passed);
  EXPECT_EQ(exit_class_of(Verdict::failed), ExitClass::expectation_failed);
  EXPECT_EQ(exit_class_of(Verdict::inconclusive), ExitClass::inconclusive);
  EXPECT_EQ(exit_class_of(Verdict::refused), ExitClass::preflight_refused);
  EXPECT_EQ(exit_class_of(Verdict::aborted), ExitClass::aborted);
}

}  // namespace
}  // namespace pgfiredrill
