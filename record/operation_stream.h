#pragma once

/// Reads one file of operations from its beginning on, as far as it is good. Plain reads and no map: whoever
/// writes the file may cut it at any moment, and a map of gigabytes would count as this program's memory.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "record/descriptor.h"
#include "record/operation.h"

namespace pgfiredrill {

/// Records that stand together in a file, and between which instants they were due.
struct OperationChunk {
  std::size_t position = 0;
  std::size_t records = 0;
  nanoseconds earliest{0};
  nanoseconds latest{0};
};

class OperationStream {
 public:
  /// Fails where the file cannot be opened.
  [[nodiscard]] static Result<OperationStream> open(const std::string& path);

  /// Hands over the records from where the last call stopped to the first that is not good (yet). Fails where
  /// the file cannot be read, or was written by a version that this one cannot read.
  [[nodiscard]] Result<void> read(const std::function<void(const Operation&)>& sink);

  /// As `read`, but only looks when records were due.
  [[nodiscard]] Result<std::vector<OperationChunk>> skim();
  /// Hands over the records of a chunk that `skim` gave. Fails where they are not there any more.
  [[nodiscard]] Result<void> read_chunk(const OperationChunk& chunk,
                                        const std::function<void(const Operation&)>& sink);

  [[nodiscard]] std::size_t good_records() const noexcept { return good_records_; }
  /// Bytes from where `read` stopped to the last one that is not zero.
  [[nodiscard]] Result<std::size_t> bytes_left();

 private:
  OperationStream(std::string path, Descriptor descriptor);
  [[nodiscard]] Result<bool> read_header();
  /// `take(bytes)` says whether they are a record; returns false where one was not, or the file ended.
  template <typename Take>
  [[nodiscard]] Result<bool> read_some(Take take);
  [[nodiscard]] Failure changed() const;
  [[nodiscard]] Result<std::size_t> fill(std::size_t position, std::size_t most);

  std::string path_;
  Descriptor descriptor_;
  std::vector<std::byte> buffer_;
  std::size_t position_ = 0;  ///< of the next record; 0: the header was not good yet
  std::size_t good_records_ = 0;
};

}  // namespace pgfiredrill
