#include "record/crc32c.h"

#include <random>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span{text});
}

/// Published check values: files must be readable by anybody's CRC-32C.
TEST(Crc32c, IsCastagnolis) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c(bytes("123456789")), 0xe306'9283u);
  EXPECT_EQ(crc32c(bytes(std::string(32, '\0'))), 0x8a91'36aau);
  EXPECT_EQ(crc32c(bytes(std::string(32, '\xff'))), 0x62a8'ab43u);
}

/// A file that one machine wrote is checked on another.
TEST(Crc32c, IsTheSameWithAndWithoutTheProcessorsHelp) {
  std::mt19937 random{1};
  std::vector<std::byte> text(300);
  for (std::byte& byte : text) byte = static_cast<std::byte>(random());
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t size = 0; from + size <= text.size(); ++size) {
      const auto part = std::span{text}.subspan(from, size);
      ASSERT_EQ(crc32c(part, 7), crc32c_by_tables(part, 7)) << size << " bytes from " << from;
    }
  }
}

TEST(Crc32c, GoesOnWhereItStopped) {
  const std::string_view text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32c(bytes(text.substr(cut)), crc32c(bytes(text.substr(0, cut)))), crc32c(bytes(text)));
}

}  // namespace
}  // namespace pgfiredrill
