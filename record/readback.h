#pragma once

/// `record/readback-<repeat>-<member>.bin`: which numbers of the ledger one server held after the fence.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "record/number_pages.h"

namespace pgfiredrill {

/// Numbers `first` to `last` of a stream, each found `copies` times.
struct NumberRun {
  std::uint16_t stream = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint32_t copies = 1;
  [[nodiscard]] bool operator==(const NumberRun&) const = default;
};

/// Rows in any order become the fewest runs, sorted by stream and number. Holds a bit for each number, and
/// only those apart that are there more than once.
class NumberRuns {
 public:
  void add(std::uint16_t stream, std::uint64_t number);
  /// Fails `malformed` where the rows were not a ledger's: numbers strewn so wide, or repeated so often, that
  /// holding them would take memory without end.
  [[nodiscard]] Result<std::vector<NumberRun>> finish();

 private:
  NumberPages<NumberBits> present_;
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint32_t> more_;  ///< copies beyond the first
  bool strewn_ = false;
  bool repeated_ = false;
};

/// Fails where the file cannot be written or read, or its checksum does not fit.
[[nodiscard]] Result<void> write_readback(const std::string& path, const std::vector<NumberRun>& runs);
[[nodiscard]] Result<std::vector<NumberRun>> read_readback(const std::string& path);

}  // namespace pgfiredrill
