#pragma once

/// Several files of operations as one sequence in the order of due time. A file holds its records in the
/// order in which they ended, which is nearly that of their due times: what is held in memory is what stands
/// out of order, and not the span that is asked for.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/failure.h"
#include "record/operation.h"
#include "record/operation_stream.h"

namespace pgfiredrill {

class OrderedOperations {
 public:
  /// Looks through the file as far as it is good, and keeps when its records were due. Fails where it cannot
  /// be read or is of another version.
  [[nodiscard]] Result<void> add_file(const std::string& path);

  /// Every operation with `from` <= due < `to`: by due time, then path, then `sent` before `done`. As often
  /// as it is asked for.
  [[nodiscard]] Result<void> read(nanoseconds from, nanoseconds to,
                                  const std::function<void(const Operation&)>& sink);

  /// Of the file that was added last.
  [[nodiscard]] std::size_t good_records() const { return files_.back().stream.good_records(); }
  [[nodiscard]] Result<std::size_t> bytes_left() { return files_.back().stream.bytes_left(); }

 private:
  struct File {
    OperationStream stream;
    std::vector<OperationChunk> chunks;
  };
  class Merge;

  std::vector<File> files_;
};

}  // namespace pgfiredrill
