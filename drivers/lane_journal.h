#pragma once

/// Keeps the record of one path's operations on one thread: opens each, and closes it with what it was
/// classified as.

#include <string>

#include "base/clock.h"
#include "drivers/classify.h"
#include "drivers/error_samples.h"
#include "drivers/pending_operation.h"
#include "drivers/schedule.h"
#include "drivers/server_table.h"
#include "drivers/statements.h"
#include "record/recorder.h"

namespace pgfiredrill {

/// What the lanes of a run share; outlives them.
struct TrafficLedgers {
  Clock& clock;
  ServerTable& servers;
  ErrorSamples& samples;
  bool synchronous_promised = false;
};

class LaneJournal {
 public:
  /// `number` is the path's index in the manifest. All outlive the journal.
  LaneJournal(const TrafficPath& path, std::uint16_t number, OperationWriter& writer,
              const TrafficLedgers& shared);

  [[nodiscard]] const TrafficPath& path() const noexcept { return path_; }
  [[nodiscard]] std::uint16_t number() const noexcept { return number_; }
  [[nodiscard]] nanoseconds now() const { return shared_.clock.monotonic(); }

  [[nodiscard]] PendingOperation open(const DueOperation& due) const;
  [[nodiscard]] nanoseconds deadline_of(const PendingOperation& operation) const;
  /// What is left of its time; at least 0.
  [[nodiscard]] nanoseconds time_left(const PendingOperation& operation) const;

  /// Just before the first byte leaves. For a write this is recorded at once: if this program is killed, it
  /// is in doubt.
  void mark_sent(PendingOperation& operation);

  /// Its session could not be had.
  void close_at_login(PendingOperation operation, const LoginEvidence& evidence);
  /// It was asked, and this came.
  void close_answered(PendingOperation operation, const StatementEvidence& evidence);
  /// Its deadline passed before it was sent.
  void close_dropped(PendingOperation operation, Trouble why, Layer layer);
  /// This program ends.
  void close_abandoned(PendingOperation operation);

  /// A session of this path was lost or refused outside of any operation.
  void note_trouble(const Classification& classification, const std::string& text);

 private:
  [[nodiscard]] StatementTerms terms_for(const Operation& operation, const Answer& answer) const;
  void close(PendingOperation operation, const Classification& classification);

  const TrafficPath& path_;
  std::uint16_t number_;
  OperationWriter& writer_;
  const TrafficLedgers& shared_;
};

/// One line for people.
[[nodiscard]] std::string text_of(const StatementEvidence& evidence);

}  // namespace pgfiredrill
