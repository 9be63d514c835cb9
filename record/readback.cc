#include "record/readback.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "record/crc32c.h"
#include "record/files.h"
#include "record/little_endian.h"

namespace pgfiredrill {
namespace {

/// magic (8), number of runs (8), then 24 bytes a run: stream (2), zero (2), copies (4), first (8), last (8);
/// CRC-32C of everything before it (4).
constexpr std::string_view kMagic = "PGFDRBK1";
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kRunBytes = 24;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kLargest = std::size_t{1} << 30;

std::span<const std::byte> bytes_of(const std::string& text, std::size_t count) {
  return std::as_bytes(std::span{text}).first(count);
}

void append_run(std::string& text, const NumberRun& run) {
  std::array<std::byte, kRunBytes> bytes{};
  store_little(bytes.data(), run.stream);
  store_little(bytes.data() + 4, run.copies);
  store_little(bytes.data() + 8, run.first);
  store_little(bytes.data() + 16, run.last);
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

template <std::unsigned_integral T>
void append_number(std::string& text, T value) {
  std::array<std::byte, sizeof(T)> bytes;
  store_little(bytes.data(), value);
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

NumberRun load_run(const std::byte* at) {
  return {.stream = load_little<std::uint16_t>(at),
          .first = load_little<std::uint64_t>(at + 8),
          .last = load_little<std::uint64_t>(at + 16),
          .copies = load_little<std::uint32_t>(at + 4)};
}

Failure malformed(const std::string& path, const std::string& came_back) {
  return {.kind = FailureKind::malformed,
          .what = "read a ledger's read-back",
          .where = path,
          .came_back = came_back};
}

Failure no_ledger(const std::string& came_back) {
  return {.kind = FailureKind::malformed,
          .what = "gather the rows of a ledger",
          .where = "pgfiredrill.ledger",
          .came_back = came_back,
          .hint = "Did somebody else write into it?"};
}

/// A quarter of a gigabyte, which is two milliards of dense numbers.
constexpr std::size_t kMostPages = std::size_t{1} << 19;
constexpr std::size_t kMostRepeated = 1'000'000;

bool continues(const NumberRun& run, const NumberRun& next) {
  return run.stream == next.stream && run.copies == next.copies && run.last + 1 == next.first;
}

using Copies = std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint32_t>;

class RunBuilder {
 public:
  explicit RunBuilder(const Copies& more) : more_{more}, next_more_{more.begin()} {}

  void on_page(std::uint16_t stream, std::uint64_t first, const NumberBits& bits) {
    for (std::size_t word = 0; word < bits.size(); ++word) on_word(stream, first + 64 * word, bits[word]);
  }
  std::vector<NumberRun> finish() && { return std::move(runs_); }

 private:
  void on_word(std::uint16_t stream, std::uint64_t first, std::uint64_t bits) {
    const bool all_once = next_more_ == more_.end() || next_more_->first > std::pair{stream, first + 63};
    if (all_once && bits == ~std::uint64_t{0}) return append({stream, first, first + 63, 1});
    for (; bits != 0; bits &= bits - 1) {
      const std::uint64_t number = first + static_cast<std::uint64_t>(std::countr_zero(bits));
      append({stream, number, number, copies_of(stream, number)});
    }
  }

  std::uint32_t copies_of(std::uint16_t stream, std::uint64_t number) {
    if (next_more_ == more_.end() || next_more_->first != std::pair{stream, number}) return 1;
    return 1 + (next_more_++)->second;
  }

  void append(const NumberRun& run) {
    if (!runs_.empty() && continues(runs_.back(), run)) {
      runs_.back().last = run.last;
    } else {
      runs_.push_back(run);
    }
  }

  const Copies& more_;
  Copies::const_iterator next_more_;
  std::vector<NumberRun> runs_;
};

}  // namespace

void NumberRuns::add(std::uint16_t stream, std::uint64_t number) {
  if (present_.count() >= kMostPages) {
    strewn_ = true;
    return;
  }
  std::uint64_t& word = present_.with(stream, number)[word_of(number)];
  if ((word & bit_of(number)) == 0) {
    word |= bit_of(number);
  } else if (more_.size() < kMostRepeated) {
    ++more_[{stream, number}];
  } else {
    repeated_ = true;
  }
}

Result<std::vector<NumberRun>> NumberRuns::finish() {
  if (strewn_) return no_ledger("numbers lie too far apart to be a ledger's");
  if (repeated_) return no_ledger("more than a million numbers are there more than once");
  RunBuilder builder{more_};
  present_.each([&](std::uint16_t stream, std::uint64_t first, const NumberBits& bits) {
    builder.on_page(stream, first, bits);
  });
  return std::move(builder).finish();
}

Result<void> write_readback(const std::string& path, const std::vector<NumberRun>& runs) {
  std::string text{kMagic};
  text.reserve(kHeaderBytes + runs.size() * kRunBytes + kChecksumBytes);
  append_number(text, std::uint64_t{runs.size()});
  for (const NumberRun& run : runs) append_run(text, run);
  append_number(text, crc32c(bytes_of(text, text.size())));
  return write_file_aside(path, text);
}

Result<std::vector<NumberRun>> read_readback(const std::string& path) {
  const auto text = read_whole_file(path, kLargest);
  if (!text) return text.error();
  if (text->size() < kHeaderBytes + kChecksumBytes || !text->starts_with(kMagic)) {
    return malformed(path, "it is no read-back file");
  }
  const std::size_t checked = text->size() - kChecksumBytes;
  const auto bytes = std::as_bytes(std::span{*text});
  if (load_little<std::uint32_t>(bytes.data() + checked) != crc32c(bytes.first(checked))) {
    return malformed(path, "its checksum does not fit: it was changed or cut after it was written");
  }
  const auto count = load_little<std::uint64_t>(bytes.data() + kMagic.size());
  if ((checked - kHeaderBytes) % kRunBytes != 0 || count != (checked - kHeaderBytes) / kRunBytes) {
    return malformed(path, "its length does not fit its number of runs");
  }
  std::vector<NumberRun> runs;
  runs.reserve(count);
  for (std::size_t at = kHeaderBytes; at < checked; at += kRunBytes)
    runs.push_back(load_run(bytes.data() + at));
  return runs;
}

}  // namespace pgfiredrill
