#include "record/readback.h"

#include <algorithm>
#include <array>
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

bool continues(const NumberRun& run, const NumberRun& next) {
  return run.stream == next.stream && run.copies == next.copies && run.last + 1 == next.first;
}

}  // namespace

void NumberRuns::add(std::uint16_t stream, std::uint64_t number) {
  rows_.emplace_back(stream, number);
}

std::vector<NumberRun> NumberRuns::finish() {
  std::sort(rows_.begin(), rows_.end());
  std::vector<NumberRun> runs;
  for (auto row = rows_.cbegin(); row != rows_.cend();) {
    const auto next = std::upper_bound(row, rows_.cend(), *row);
    const NumberRun one{.stream = row->first,
                        .first = row->second,
                        .last = row->second,
                        .copies = static_cast<std::uint32_t>(next - row)};
    if (!runs.empty() && continues(runs.back(), one)) {
      runs.back().last = one.last;
    } else {
      runs.push_back(one);
    }
    row = next;
  }
  rows_.clear();
  return runs;
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
