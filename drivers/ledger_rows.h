#pragma once

/// The ledger's rows out of a binary COPY of (stream integer, number bigint), as it streams in. Pure.

#include <cstddef>
#include <span>
#include <string>

#include "base/failure.h"
#include "record/readback.h"

namespace pgfiredrill {

class LedgerRows {
 public:
  /// The next bytes, however they were cut. False from the first byte on that is none of such a copy.
  [[nodiscard]] bool feed(std::span<const std::byte> bytes);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  /// After the last byte. Fails where that was not the copy's end, or what came was no ledger.
  [[nodiscard]] Result<std::vector<NumberRun>> finish();

 private:
  enum class State : unsigned char { header, rows, ended, malformed };

  [[nodiscard]] std::size_t parse(std::span<const std::byte> bytes);
  [[nodiscard]] std::size_t parse_header(std::span<const std::byte> bytes);
  [[nodiscard]] std::size_t parse_row(std::span<const std::byte> bytes);

  State state_ = State::header;
  std::vector<std::byte> left_;  ///< the beginning of a row whose end has not come
  std::size_t rows_ = 0;
  NumberRuns runs_;
};

}  // namespace pgfiredrill
