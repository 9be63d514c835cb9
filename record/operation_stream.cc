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

Result<void> OperationStream::read(const std::function<void(const Operation&)>& sink) {
  if (position_ == 0) {
    const auto good = read_header();
    if (!good) return good.error();
    if (!*good) return {};
  }
  OperationBytes bytes;
  while (true) {
    const auto filled = fill(position_, kChunk);
    if (!filled) return filled.error();
    std::size_t at = 0;
    for (; at + kOperationBytes <= *filled; at += kOperationBytes) {
      std::memcpy(bytes.data(), buffer_.data() + at, kOperationBytes);
      const auto operation = decode(bytes);
      if (!operation) return {};
      position_ += kOperationBytes;
      ++good_records_;
      sink(*operation);
    }
    if (at < kChunk) return {};
  }
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
