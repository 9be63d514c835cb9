#pragma once

/// Reads a run record back: a finished one, one whose program was killed, or one that is being written.
/// Blocking; any thread, one at a time.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "record/event.h"
#include "record/manifest.h"
#include "record/operation.h"
#include "record/ordered_operations.h"
#include "record/readback.h"

namespace pgfiredrill {

/// A file of operations that ends in something that is no record.
struct RecordDamage {
  std::string file;
  std::size_t good_records = 0;
  std::size_t bytes_left = 0;  ///< of data after the last good record, zeros at the end not counted
};

class RunReader {
 public:
  /// `run_folder` holds `record/`. Fails `missing` or `malformed` where there is no manifest; without a
  /// manifest nothing can be judged.
  [[nodiscard]] static Result<RunReader> open(const std::string& run_folder);

  [[nodiscard]] const RunManifest& manifest() const noexcept { return manifest_; }
  /// In the order of the file. Lines that are no events are counted in `bad_event_lines`.
  [[nodiscard]] const std::vector<Event>& events() const noexcept { return events_; }
  [[nodiscard]] std::size_t bad_event_lines() const noexcept { return bad_event_lines_; }
  /// The last event says that the run ended by itself.
  [[nodiscard]] bool ended() const noexcept;

  /// Every operation with `from` <= due < `to`, of all files, in the order of due time (then path, then
  /// `sent` before `done`). The files are looked through at the first call, and once.
  [[nodiscard]] Result<std::vector<RecordDamage>> operations(
      nanoseconds from, nanoseconds to, const std::function<void(const Operation&)>& sink) const;

  [[nodiscard]] Result<std::vector<NumberRun>> readback(const std::string& file) const;

 private:
  [[nodiscard]] Result<void> read_events();
  [[nodiscard]] Result<void> look_through_operations() const;

  std::string folder_;
  RunManifest manifest_;
  std::vector<Event> events_;
  std::size_t bad_event_lines_ = 0;
  mutable std::unique_ptr<OrderedOperations> operations_;  ///< null: not looked through yet
  mutable std::vector<RecordDamage> damages_;
};

/// Follows the operations of a run that is being written (the live screen): each call hands over what has
/// come since the last one, file by file, in the order in which it was written.
class OperationTail {
 public:
  explicit OperationTail(std::string run_folder);
  ~OperationTail();
  OperationTail(const OperationTail&) = delete;
  OperationTail& operator=(const OperationTail&) = delete;

  void poll(const std::function<void(const Operation&)>& sink);

 private:
  struct File;
  void pick_up_new_files();

  std::string folder_;
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace pgfiredrill
