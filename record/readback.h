#pragma once

/// `record/readback-<repeat>-<member>.bin`: which numbers of the ledger one server held after the fence.

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

/// Numbers `first` to `last` of a stream, each found `copies` times.
struct NumberRun {
  std::uint16_t stream = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint32_t copies = 1;
  [[nodiscard]] bool operator==(const NumberRun&) const = default;
};

/// Rows in any order become the fewest runs, sorted by stream and number.
class NumberRuns {
 public:
  void add(std::uint16_t stream, std::uint64_t number);
  [[nodiscard]] std::vector<NumberRun> finish();

 private:
  std::vector<std::pair<std::uint16_t, std::uint64_t>> rows_;
};

/// Fails where the file cannot be written or read, or its checksum does not fit.
[[nodiscard]] Result<void> write_readback(const std::string& path, const std::vector<NumberRun>& runs);
[[nodiscard]] Result<std::vector<NumberRun>> read_readback(const std::string& path);

}  // namespace pgfiredrill
