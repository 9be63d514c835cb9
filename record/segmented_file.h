#pragma once

/// A file of operations while it is written: segments of it are allocated, mapped and faulted in ahead, so
/// that appending a record is a copy into memory that outlives this program.

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "base/failure.h"
#include "record/descriptor.h"
#include "record/operation.h"

namespace pgfiredrill {

/// `append` and `close` belong to one thread, `prepare_next` to another; `trouble` to any.
class SegmentedFile {
 public:
  /// Creates the file, which must not be there, and its first segment. Fails where there is no room for it.
  [[nodiscard]] static Result<std::shared_ptr<SegmentedFile>> create(const std::string& path,
                                                                     const std::string& thread);
  ~SegmentedFile();

  /// The checksum goes last, in one store: who reads the file meanwhile takes no torn record for a good one.
  void append(const OperationBytes& record) noexcept;
  /// Cuts off what was allocated and not written.
  void close();

  /// Makes the next segment unless it is there, and lets go of the one before the current. Does system calls.
  void prepare_next();

  /// A sentence where operations were or will be lost; else empty.
  [[nodiscard]] std::string trouble() const;

 private:
  class Segment;

  SegmentedFile(std::string path, Descriptor descriptor);
  [[nodiscard]] Result<std::unique_ptr<Segment>> make_segment(std::size_t offset) const;
  void make_next();
  void advance() noexcept;

  const std::string path_;
  const Descriptor descriptor_;
  std::size_t end_ = 0;  ///< where the next record goes; the appending thread's
  std::unique_ptr<Segment> current_;
  std::atomic<std::size_t> lost_{0};
  std::atomic<bool> out_of_room_{false};

  mutable std::mutex mutex_;  // held while a segment is made, never while a record is copied
  std::unique_ptr<Segment> next_;
  std::unique_ptr<Segment> previous_;
  std::size_t next_offset_ = 0;
  std::string reason_;
  bool closed_ = false;
};

}  // namespace pgfiredrill
