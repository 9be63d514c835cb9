#include "drivers/ledger_rows.h"

#include <gmock/gmock.h>

#include "tests/drivers/binary_ledger.h"

namespace pgfiredrill {
namespace {

using testing::binary_ledger;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span{text});
}

/// The protocol promises nothing of where it cuts a copy into messages.
TEST(LedgerRows, AreTheSameHoweverTheyAreCut) {
  const std::string copy = binary_ledger({{3, 0}, {3, 2}, {3, 1}, {1, (std::uint64_t{1} << 48) - 1}});
  for (std::size_t piece = 1; piece <= copy.size(); ++piece) {
    LedgerRows rows;
    for (std::size_t at = 0; at < copy.size(); at += piece)
      ASSERT_TRUE(rows.feed(bytes(std::string_view{copy}.substr(at, piece)))) << piece;
    const auto runs = rows.finish();
    ASSERT_TRUE(runs) << piece;
    EXPECT_EQ(rows.rows(), 4u);
    EXPECT_THAT(*runs,
                ElementsAre(NumberRun{1, (std::uint64_t{1} << 48) - 1, (std::uint64_t{1} << 48) - 1, 1},
                            NumberRun{3, 0, 2, 1}));
  }
}

TEST(LedgerRows, OfAnEmptyLedgerAreNone) {
  LedgerRows rows;
  ASSERT_TRUE(rows.feed(bytes(binary_ledger({}))));
  const auto runs = rows.finish();
  ASSERT_TRUE(runs);
  EXPECT_TRUE(runs->empty());
}

TEST(LedgerRows, MustEnd) {
  const std::string copy = binary_ledger({{3, 0}, {3, 1}});
  for (std::size_t size = 0; size < copy.size(); ++size) {
    LedgerRows rows;
    static_cast<void>(rows.feed(bytes(std::string_view{copy}.substr(0, size))));
    ASSERT_FALSE(rows.finish()) << size << " bytes";
  }
}

TEST(LedgerRows, RefuseEverythingElse) {
  const std::string good = binary_ledger({{3, 1}});
  std::vector<std::string> copies{binary_ledger({{65'536, 1}}), binary_ledger({{3, std::uint64_t{1} << 48}}),
                                  binary_ledger({{3, ~std::uint64_t{0}}}), good + "x", "3\t1\n" + good};
  // Another number of columns, a NULL, other widths.
  for (const std::size_t at : {20u, 21u, 24u, 32u}) {
    copies.push_back(good);
    copies.back()[at] = static_cast<char>(copies.back()[at] ^ 0x7f);
  }
  for (const std::string& copy : copies) {
    LedgerRows rows;
    EXPECT_FALSE(rows.feed(bytes(copy)));
    const auto runs = rows.finish();
    ASSERT_FALSE(runs);
    EXPECT_THAT(runs.error().message(), HasSubstr("another form"));
  }
}

}  // namespace
}  // namespace pgfiredrill
