#pragma once

/// `record/events.jsonl` while it is written: lines are queued by any thread and written and synced by one.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/failure.h"
#include "record/descriptor.h"

namespace pgfiredrill {

class EventLog {
 public:
  /// Creates the file, which must not be there.
  [[nodiscard]] static Result<std::unique_ptr<EventLog>> create(const std::string& path);

  /// Does not wait for the disk.
  void add(const std::string& line);
  /// Until something was added, or `stop` was called, or `deadline` has passed.
  void wait_for_work(std::chrono::milliseconds deadline);
  void stop();
  [[nodiscard]] bool stopped() const;

  /// Writes and syncs what was added, all of it at once. What the disk does not take is kept for the next
  /// time.
  void flush();
  /// Blocks until a flush has tried everything added so far. Another thread flushes.
  void wait_until_flushed();

  /// A sentence where events are not on the disk; else empty.
  [[nodiscard]] std::string trouble() const;

 private:
  EventLog(std::string path, Descriptor descriptor);
  /// What went wrong, a sentence.
  [[nodiscard]] std::string write_and_sync();

  const std::string path_;
  const Descriptor descriptor_;
  std::string unwritten_;  ///< the flushing thread's

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string queue_;
  std::uint64_t added_ = 0;
  std::uint64_t tried_ = 0;
  bool stopped_ = false;
  std::string trouble_;
};

}  // namespace pgfiredrill
