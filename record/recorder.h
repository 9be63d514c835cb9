#pragma once

/// Writes the run record: the manifest, one file of operations for each writing thread, the events.
///
/// Survives SIGKILL of this program at any moment: operations go to shared memory maps of their files, events
/// are synced. Loss of the machine's power is not promised.

#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/failure.h"
#include "record/event.h"
#include "record/manifest.h"
#include "record/operation.h"

namespace pgfiredrill {

/// Appends to one file; owned by one thread. `append` does no system call unless the recorder's thread fell
/// behind with preparing the next segment.
class OperationWriter {
 public:
  virtual ~OperationWriter() = default;
  /// Never fails towards the caller: where a segment cannot be made (disk full), the operation is counted as
  /// lost and `Recorder::trouble` says so.
  virtual void append(const Operation& operation) noexcept = 0;
};

class Recorder {
 public:
  /// Makes `<run_folder>/record/`, which must not be there yet. Fails with the system's reason: no
  /// permission, no space, already there.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> create(const std::string& run_folder, Clock& clock);
  virtual ~Recorder() = default;

  /// Aside and renamed, synced. Before the first operation; once more then where its plan changed.
  [[nodiscard]] virtual Result<void> write_manifest(const RunManifest& manifest) = 0;
  /// `thread` is a part of the file's name: "traffic", "connector-0". Each name once. Thread-safe.
  [[nodiscard]] virtual Result<std::unique_ptr<OperationWriter>> open_operations(
      const std::string& thread) = 0;
  /// Stamped with now where `event.at` is 0. Thread-safe and non-blocking: the recorder's thread writes and
  /// syncs.
  virtual void add(Event event) = 0;
  /// Blocks until everything added so far is synced. Not on loops.
  virtual void sync() = 0;
  /// What could not be recorded, a sentence; empty: all is well. Thread-safe.
  [[nodiscard]] virtual std::string trouble() const = 0;
  [[nodiscard]] virtual const std::string& folder() const noexcept = 0;  ///< `<run_folder>/record`
};

/// Bytes that a run's operations will take, for preflight.
[[nodiscard]] std::size_t estimate_record_bytes(const RunManifest& manifest);
/// Free bytes for this user on the file system of `folder` (or its nearest parent that exists).
[[nodiscard]] Result<std::size_t> free_bytes(const std::string& folder);

}  // namespace pgfiredrill
