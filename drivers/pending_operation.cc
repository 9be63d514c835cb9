#include "drivers/pending_operation.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace pgfiredrill {

PendingOperation::PendingOperation(PendingOperation&& other) noexcept
    : operation_{other.operation_}, owed_{std::exchange(other.owed_, false)} {}

PendingOperation& PendingOperation::operator=(PendingOperation&& other) noexcept {
  if (this == &other) return *this;
  check_settled();
  operation_ = other.operation_;
  owed_ = std::exchange(other.owed_, false);
  return *this;
}

PendingOperation::~PendingOperation() {
  check_settled();
}

Operation PendingOperation::settle() noexcept {
  if (!owed_) {
    std::fputs("pgfiredrill: an operation was recorded twice\n", stderr);
    std::abort();
  }
  owed_ = false;
  return operation_;
}

void PendingOperation::check_settled() const noexcept {
  if (!owed_) return;
  std::fprintf(stderr, "pgfiredrill: operation %llu of path %u was lost without an outcome\n",
               static_cast<unsigned long long>(operation_.number), static_cast<unsigned>(operation_.path));
  std::abort();
}

}  // namespace pgfiredrill
