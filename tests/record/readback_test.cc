#include "record/readback.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <tuple>

#include <gmock/gmock.h>

#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryDirectory;

std::vector<NumberRun> runs_of(const std::vector<std::pair<std::uint16_t, std::uint64_t>>& rows) {
  NumberRuns runs;
  for (const auto& [stream, number] : rows) runs.add(stream, number);
  auto finished = runs.finish();
  EXPECT_TRUE(finished) << finished.error().message();
  return finished ? *finished : std::vector<NumberRun>{};
}

TEST(NumberRuns, BecomeTheFewestWhateverTheOrder) {
  EXPECT_THAT(runs_of({{2, 5}, {2, 3}, {2, 4}, {2, 1}, {2, 9}, {2, 8}, {1, 6}}),
              ElementsAre(NumberRun{1, 6, 6, 1}, NumberRun{2, 1, 1, 1}, NumberRun{2, 3, 5, 1},
                          NumberRun{2, 8, 9, 1}));
}

/// A write that was repeated behind our back stands twice in the ledger.
TEST(NumberRuns, CountCopies) {
  EXPECT_THAT(runs_of({{1, 1}, {1, 2}, {1, 2}, {1, 3}, {1, 3}, {1, 4}}),
              ElementsAre(NumberRun{1, 1, 1, 1}, NumberRun{1, 2, 3, 2}, NumberRun{1, 4, 4, 1}));
}

/// Words and pages are how they are held, and nothing that shows.
TEST(NumberRuns, GoOnAcrossWordsAndPages) {
  std::vector<std::pair<std::uint16_t, std::uint64_t>> rows;
  for (std::uint64_t number = 60; number < 3 * kNumbersInPage + 5; ++number) rows.emplace_back(7, number);
  EXPECT_THAT(runs_of(rows), ElementsAre(NumberRun{7, 60, 3 * kNumbersInPage + 4, 1}));
  rows.emplace_back(7, kNumbersInPage);
  EXPECT_THAT(runs_of(rows), ElementsAre(NumberRun{7, 60, kNumbersInPage - 1, 1},
                                         NumberRun{7, kNumbersInPage, kNumbersInPage, 2},
                                         NumberRun{7, kNumbersInPage + 1, 3 * kNumbersInPage + 4, 1}));
}

TEST(NumberRuns, AgreeWithCountingOnRandomRows) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random{seed};
    std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint32_t> counts;
    NumberRuns runs;
    for (int i = 0; i < 3000; ++i) {
      const auto stream = static_cast<std::uint16_t>(random() % 3 * 30'000);
      const std::uint64_t number = random() % 2500 + (random() % 2) * (std::uint64_t{1} << 40);
      runs.add(stream, number);
      ++counts[{stream, number}];
    }
    const auto finished = runs.finish();
    ASSERT_TRUE(finished);
    std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint32_t> spread;
    for (const NumberRun& run : *finished) {
      for (std::uint64_t number = run.first; number <= run.last; ++number)
        spread[{run.stream, number}] += run.copies;
    }
    ASSERT_EQ(spread, counts) << "seed " << seed;
    for (std::size_t i = 1; i < finished->size(); ++i) {
      const NumberRun &before = (*finished)[i - 1], &run = (*finished)[i];
      ASSERT_LT(std::tie(before.stream, before.last), std::tie(run.stream, run.first)) << "seed " << seed;
    }
  }
}

/// Whoever can write to the table must not be able to fill this machine's memory.
TEST(NumberRuns, RefuseNumbersThatAreStrewnWide) {
  NumberRuns runs;
  for (std::uint64_t i = 0; i <= (std::uint64_t{1} << 19); ++i) runs.add(1, i * kNumbersInPage);
  const auto finished = runs.finish();
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message(), HasSubstr("too far apart"));
}

TEST(NumberRuns, RefuseMoreCopiesThanTheyCanHold) {
  NumberRuns runs;
  for (std::uint64_t number = 0; number <= 1'000'000; ++number) {
    runs.add(1, number);
    runs.add(1, number);
  }
  const auto finished = runs.finish();
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message(), HasSubstr("more than once"));
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
