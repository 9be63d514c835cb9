#include "record/operation.h"

#include <limits>

#include <gmock/gmock.h>

#include "tests/record/sample_record.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using testing::sample_operation;

TEST(Operation, ComesBackAsItWas) {
  const Operation operation = sample_operation();
  EXPECT_EQ(decode(encode(operation)), operation);
  EXPECT_EQ(decode(encode(Operation{})), Operation{});
}

/// Each field alone, at its extremes: a field that overlaps another would change it.
TEST(Operation, KeepsEveryFieldApart) {
  using Change = void (*)(Operation&);
  const std::vector<Change> changes{
      [](Operation& o) { o.kind = RecordKind::sent; },
      [](Operation& o) { o.outcome = Outcome::acknowledged; },
      [](Operation& o) { o.layer = Layer::unknown; },
      [](Operation& o) { o.write = true; },
      [](Operation& o) { o.dropped = true; },
      [](Operation& o) { o.late = true; },
      [](Operation& o) { o.in_recovery = true; },
      [](Operation& o) { o.at_login = true; },
      [](Operation& o) { o.path = 0xffff; },
      [](Operation& o) { o.node = 0xffff; },
      [](Operation& o) { o.stream = 0xffff; },
      [](Operation& o) { o.number = (std::uint64_t{1} << 48) - 1; },
      [](Operation& o) { o.due = nanoseconds{std::numeric_limits<nanoseconds::rep>::max()}; },
      [](Operation& o) { o.due = nanoseconds{std::numeric_limits<nanoseconds::rep>::min()}; },
      [](Operation& o) { o.sent_after = 0us; },
      [](Operation& o) { o.done_after = 0us; },
      [](Operation& o) { o.lsn = std::numeric_limits<std::uint64_t>::max(); },
      [](Operation& o) { o.timeline = 0xffff'ffff; },
      [](Operation& o) { o.backend_pid = 0xffff'ffff; },
      [](Operation& o) { o.error = ErrorClass::from_code(0xffff'ffff); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Operation operation;
    changes[i](operation);
    EXPECT_EQ(decode(encode(operation)), operation) << "change " << i;
  }
}

TEST(Operation, RoundsDurationsToMicrosecondsAndSaturates) {
  const auto stored = [](nanoseconds duration) {
    Operation operation;
    operation.done_after = duration;
    return *decode(encode(operation))->done_after;
  };
  EXPECT_EQ(stored(1'499ns), 1us);
  EXPECT_EQ(stored(1'500ns), 2us);
  EXPECT_EQ(stored(-5us), 0us);
  EXPECT_EQ(stored(100h), 4'294'967'294us);
  EXPECT_EQ(stored(4'294'967'295us), 4'294'967'294us) << "the largest number stands for no duration";
}

/// The layout is a file format: records of older versions must stay readable.
TEST(Operation, IsLaidOutAsItAlwaysWas) {
  const OperationBytes bytes = encode(sample_operation(0x0102'0304'0506));
  const auto byte = [&](std::size_t at) { return std::to_integer<int>(bytes[at]); };
  EXPECT_EQ(byte(0), 2);
  EXPECT_EQ(byte(1), 2);
  EXPECT_EQ(byte(2), 4);
  EXPECT_EQ(byte(3), 1 + 4 + 16);
  EXPECT_EQ(byte(4), 1);
  EXPECT_EQ(byte(5), 2);
  EXPECT_EQ(byte(26), 6);
  EXPECT_EQ(byte(31), 1);
  EXPECT_EQ(byte(32), 70);
}

TEST(Operation, RefusesEveryFlippedBit) {
  const OperationBytes good = encode(sample_operation());
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    OperationBytes bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(decode(bad)) << "bit " << bit;
  }
}

/// What was allocated and not written is zeros.
TEST(Operation, TakesNoZerosForARecord) {
  EXPECT_FALSE(decode(OperationBytes{}));
}

}  // namespace
}  // namespace pgfiredrill
