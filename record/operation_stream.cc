#include "record/operation_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "record/files.h"
#include "record/operation_file.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kChunk = 4096 * kOperationBytes;

}  // namespace

OperationStream::OperationStream(std::string path, Descriptor descriptor)
    : path_{std::move(path)}, descriptor_{std::move(descriptor)} {}

Result<OperationStream> OperationStream::open(const std::string& path) {
  Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!descriptor.open()) return system_failure("open a file of operations", path, errno);
  return OperationStream{path, std::move(descriptor)};
}

/// How many bytes of the buffer hold the file from `position` on: fewer than asked for at its end only.
Result<std::size_t> OperationStream::fill(std::size_t position, std::size_t most) {
  buffer_.resize(std::max(buffer_.size(), most));
  std::size_t filled = 0;
  while (filled < most) {
    const ssize_t count = ::pread(descriptor_.get(), buffer_.data() + filled, most - filled,
                                  static_cast<off_t>(position + filled));
    if (count == 0) break;
    if (count < 0 && errno != EINTR) return system_failure("read a file of operations", path_, errno);
    if (count > 0) filled += static_cast<std::size_t>(count);
  }
  return filled;
}

/// Whether there is a good one.
Result<bool> OperationStream::read_header() {
  const auto filled = fill(0, kOperationHeaderBytes);
  if (!filled) return filled.error();
  if (*filled < kOperationHeaderBytes) return false;
  OperationHeaderBytes bytes;
  std::copy_n(buffer_.begin(), bytes.size(), bytes.begin());
  const auto header = decode_operation_header(bytes);
  if (!header) return false;
  if (!header->readable()) {
    return Failure{.kind = FailureKind::malformed,
                   .what = "read a file of operations",
                   .where = path_,
                   .came_back = "it is of version " + std::to_string(header->version) + " with records of " +
                                std::to_string(header->record_bytes) + " bytes",
                   .hint = "Use the version of pgfiredrill that wrote it, or a newer one."};
  }
  position_ = kOperationHeaderBytes;
  return true;
}

template <typename Take>
Result<bool> OperationStream::read_some(Take take) {
  if (position_ == 0) {
    const auto good = read_header();
    if (!good || !*good) return good;
  }
  const auto filled = fill(position_, kChunk);
  if (!filled) return filled.error();
  OperationBytes bytes;
  for (std::size_t at = 0; at + kOperationBytes <= *filled; at += kOperationBytes) {
    std::memcpy(bytes.data(), buffer_.data() + at, kOperationBytes);
    if (!take(bytes)) return false;
    position_ += kOperationBytes;
    ++good_records_;
  }
  return *filled == kChunk;
}

Result<void> OperationStream::read(const std::function<void(const Operation&)>& sink) {
  while (true) {
    const auto goes_on = read_some([&](const OperationBytes& bytes) {
      const auto operation = decode(bytes);
      if (operation) sink(*operation);
      return operation.has_value();
    });
    if (!goes_on) return goes_on.error();
    if (!*goes_on) return {};
  }
}

Result<std::vector<OperationChunk>> OperationStream::skim() {
  std::vector<OperationChunk> chunks;
  while (true) {
    OperationChunk chunk{.earliest = nanoseconds::max(), .latest = nanoseconds::min()};
    const auto goes_on = read_some([&](const OperationBytes& bytes) {
      const auto due = decode_due(bytes);
      if (!due) return false;
      if (chunk.records++ == 0) chunk.position = position_;
      chunk.earliest = std::min(chunk.earliest, *due);
      chunk.latest = std::max(chunk.latest, *due);
      return true;
    });
    if (!goes_on) return goes_on.error();
    if (chunk.records > 0) chunks.push_back(chunk);
    if (!*goes_on) return chunks;
  }
}

Result<void> OperationStream::read_chunk(const OperationChunk& chunk,
                                         const std::function<void(const Operation&)>& sink) {
  const auto filled = fill(chunk.position, chunk.records * kOperationBytes);
  if (!filled) return filled.error();
  OperationBytes bytes;
  for (std::size_t record = 0; record < chunk.records; ++record) {
    const std::size_t at = record * kOperationBytes;
    if (at + kOperationBytes > *filled) return changed();
    std::memcpy(bytes.data(), buffer_.data() + at, kOperationBytes);
    const auto operation = decode(bytes);
    if (!operation) return changed();
    sink(*operation);
  }
  return {};
}

Failure OperationStream::changed() const {
  return {.kind = FailureKind::malformed,
          .what = "read a file of operations",
          .where = path_,
          .came_back = "records that were good a moment ago are not any more",
          .hint = "Does another program write to it?"};
}

Result<std::size_t> OperationStream::bytes_left() {
  std::size_t last = 0;
  for (std::size_t offset = 0;; offset += kChunk) {
    const auto filled = fill(position_ + offset, kChunk);
    if (!filled) return filled.error();
    for (std::size_t i = *filled; i > 0; --i) {
      if (buffer_[i - 1] == std::byte{0}) continue;
      last = offset + i;
      break;
    }
    if (*filled < kChunk) return last;
  }
}

}  // namespace pgfiredrill
