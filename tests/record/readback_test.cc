#include "record/readback.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryDirectory;

TEST(NumberRuns, BecomeTheFewestWhateverTheOrder) {
  NumberRuns runs;
  for (const std::uint64_t number : {5, 3, 4, 1, 9, 8}) runs.add(2, number);
  runs.add(1, 6);
  EXPECT_THAT(runs.finish(), ElementsAre(NumberRun{1, 6, 6, 1}, NumberRun{2, 1, 1, 1}, NumberRun{2, 3, 5, 1},
                                         NumberRun{2, 8, 9, 1}));
}

/// A write that was repeated behind our back stands twice in the ledger.
TEST(NumberRuns, CountCopies) {
  NumberRuns runs;
  for (const std::uint64_t number : {1, 2, 2, 3, 3, 4}) runs.add(1, number);
  EXPECT_THAT(runs.finish(),
              ElementsAre(NumberRun{1, 1, 1, 1}, NumberRun{1, 2, 3, 2}, NumberRun{1, 4, 4, 1}));
}

TEST(Readback, ComesBackAsItWas) {
  const TemporaryDirectory directory;
  const std::string path = directory / "readback-0-pgnode01.bin";
  const std::vector<NumberRun> runs{{1, 0, (std::uint64_t{1} << 48) - 1, 1}, {0xffff, 7, 8, 3}};
  ASSERT_TRUE(write_readback(path, runs));
  const auto read = read_readback(path);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, runs);
}

TEST(Readback, OfAnEmptyLedgerIsNoFailure) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_readback(directory / "empty.bin", {}));
  const auto read = read_readback(directory / "empty.bin");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
}

TEST(Readback, RefusesEveryFlippedBitAndEveryCut) {
  const TemporaryDirectory directory;
  const std::string path = directory / "readback.bin";
  ASSERT_TRUE(write_readback(path, {{1, 1, 4812, 1}}));
  std::ifstream stream{path, std::ios::binary};
  const std::string good{std::istreambuf_iterator<char>{stream}, {}};
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(read_readback(directory.write("bad.bin", bad))) << "bit " << bit;
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(read_readback(directory.write("cut.bin", good.substr(0, size)))) << size << " bytes";
}

TEST(Readback, SaysWhereItCannotBeWritten) {
  const auto written = write_readback("/nonexistent/readback.bin", {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, FailureKind::missing);
  EXPECT_THAT(written.error().message(), HasSubstr("/nonexistent/readback.bin"));
}

}  // namespace
}  // namespace pgfiredrill
