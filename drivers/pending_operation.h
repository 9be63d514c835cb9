#pragma once

/// An operation that is due and whose outcome is not known yet: a token that no path through the code may
/// lose. Whoever holds it owes a record.

#include "record/operation.h"

namespace pgfiredrill {

class PendingOperation {
 public:
  explicit PendingOperation(const Operation& draft) : operation_{draft}, owed_{true} {}
  PendingOperation(PendingOperation&& other) noexcept;
  PendingOperation& operator=(PendingOperation&& other) noexcept;
  PendingOperation(const PendingOperation&) = delete;
  PendingOperation& operator=(const PendingOperation&) = delete;
  /// Ends the program with a message, in every build, where the outcome was not taken: a forgotten operation
  /// would make every number of the run wrong without a trace.
  ~PendingOperation();

  [[nodiscard]] Operation& draft() noexcept { return operation_; }
  [[nodiscard]] const Operation& draft() const noexcept { return operation_; }
  /// The operation for its record; the debt is paid. Once.
  [[nodiscard]] Operation settle() noexcept;

 private:
  void check_settled() const noexcept;

  Operation operation_;
  bool owed_ = false;
};

}  // namespace pgfiredrill
