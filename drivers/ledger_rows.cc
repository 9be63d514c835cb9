#include "drivers/ledger_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace pgfiredrill {
namespace {

constexpr std::string_view kSignature{"PGCOPY\n\377\r\n\0", 11};
/// Signature, flags, length of an extension.
constexpr std::size_t kHeaderBytes = 19;
/// Number of columns (2), then length (4) and value of each.
constexpr std::size_t kRowBytes = 2 + (4 + 4) + (4 + 8);
constexpr std::size_t kTrailerBytes = 2;
constexpr std::uint64_t kNumbers = std::uint64_t{1} << 48;

/// As they stand in a row with nothing NULL in it.
constexpr std::uint64_t kColumns = 2;
constexpr std::uint64_t kTrailer = 0xffff;

template <std::size_t Width>
std::uint64_t big_endian(const std::byte* at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < Width; ++i) value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
  return value;
}

}  // namespace

bool LedgerRows::feed(std::span<const std::byte> bytes) {
  if (!left_.empty()) {
    left_.insert(left_.end(), bytes.begin(), bytes.end());
    const std::vector<std::byte> joined = std::move(left_);
    left_.clear();
    return feed(joined);
  }
  const std::size_t parsed = parse(bytes);
  left_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(parsed), bytes.end());
  return state_ != State::malformed;
}

/// How many of the bytes were understood; what is left is too short for a row.
std::size_t LedgerRows::parse(std::span<const std::byte> bytes) {
  std::size_t at = 0;
  while (true) {
    std::size_t taken = 0;
    if (state_ == State::header) {
      taken = parse_header(bytes.subspan(at));
    } else if (state_ == State::rows) {
      taken = parse_row(bytes.subspan(at));
    } else if (at < bytes.size()) {
      state_ = State::malformed;
    }
    if (taken == 0) return state_ == State::malformed ? bytes.size() : at;
    at += taken;
  }
}

std::size_t LedgerRows::parse_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes) return 0;
  const bool known = std::equal(kSignature.begin(), kSignature.end(), bytes.begin(),
                                [](char c, std::byte b) { return std::byte(c) == b; });
  const std::uint64_t extension = big_endian<4>(bytes.data() + kSignature.size() + 4);
  if (!known || extension != 0) {
    state_ = State::malformed;
    return 0;
  }
  state_ = State::rows;
  return kHeaderBytes;
}

std::size_t LedgerRows::parse_row(std::span<const std::byte> bytes) {
  if (bytes.size() < kTrailerBytes) return 0;
  const std::byte* const at = bytes.data();
  if (big_endian<2>(at) == kTrailer) {
    state_ = State::ended;
    return kTrailerBytes;
  }
  if (bytes.size() < kRowBytes && big_endian<2>(at) == kColumns) return 0;
  const bool shaped = bytes.size() >= kRowBytes && big_endian<2>(at) == kColumns &&
                      big_endian<4>(at + 2) == 4 && big_endian<4>(at + 10) == 8;
  const std::uint64_t stream = shaped ? big_endian<4>(at + 6) : 0;
  const std::uint64_t number = shaped ? big_endian<8>(at + 14) : 0;
  if (!shaped || stream > std::numeric_limits<std::uint16_t>::max() || number >= kNumbers) {
    state_ = State::malformed;
    return 0;
  }
  runs_.add(static_cast<std::uint16_t>(stream), number);
  ++rows_;
  return kRowBytes;
}

Result<std::vector<NumberRun>> LedgerRows::finish() {
  if (state_ != State::ended || !left_.empty()) {
    return Failure{
        .kind = FailureKind::malformed,
        .what = "read the ledger's rows",
        .where = "pgfiredrill.ledger",
        .came_back = state_ == State::malformed ? "a copy of another form" : "a copy without its end",
        .hint = "Is this PostgreSQL?"};
  }
  return runs_.finish();
}

}  // namespace pgfiredrill
