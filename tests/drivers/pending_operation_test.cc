#include "drivers/pending_operation.h"

#include <utility>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

Operation example() {
  Operation operation;
  operation.path = 3;
  operation.number = 17;
  return operation;
}

TEST(PendingOperation, IsPaidByItsRecord) {
  PendingOperation pending{example()};
  pending.draft().lsn = 5;
  PendingOperation moved = std::move(pending);
  const Operation done = moved.settle();
  EXPECT_EQ(done.number, 17u);
  EXPECT_EQ(done.lsn, 5u);
}

TEST(PendingOperationDeathTest, EndsTheProgramWhereItIsForgotten) {
  EXPECT_DEATH({ PendingOperation forgotten{example()}; }, "operation 17 of path 3 was lost");
}

TEST(PendingOperationDeathTest, EndsTheProgramWhereItIsOverwritten) {
  EXPECT_DEATH(
      {
        PendingOperation first{example()};
        PendingOperation second{example()};
        first = std::move(second);
      },
      "was lost");
}

TEST(PendingOperationDeathTest, CannotBeRecordedTwice) {
  EXPECT_DEATH(
      {
        PendingOperation pending{example()};
        (void)pending.settle();
        (void)pending.settle();
      },
      "recorded twice");
}

}  // namespace
}  // namespace pgfiredrill
