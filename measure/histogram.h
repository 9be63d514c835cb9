#pragma once

/// Times from 1 µs to 1 h with three significant digits, in the form of HdrHistogram: counts of buckets whose
/// width doubles with each power of two, so that a bucket is never wider than a thousandth of what falls into
/// it. Buckets are allocated as they are met: some tens of kilobytes for what a path shows, 92 at most.
///
/// Mergeable. One thread at a time.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace pgfiredrill {

class LatencyHistogram {
 public:
  /// Shorter times count as 0, longer ones as the longest; fractions of a microsecond are dropped.
  static constexpr nanoseconds kLongest = std::chrono::hours{1};
  /// Of HdrHistogram's form: how often the width doubles, and linear steps up to the first doubling.
  static constexpr std::size_t kBuckets = 22;
  static constexpr std::size_t kSubBuckets = 2048;

  void record(nanoseconds time);
  /// Adds what the other one counted.
  void add(const LatencyHistogram& other);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Exact; absent where nothing was counted.
  [[nodiscard]] std::optional<nanoseconds> mean() const;
  [[nodiscard]] std::optional<nanoseconds> max() const;
  /// From the buckets' middles; absent where nothing was counted.
  [[nodiscard]] std::optional<nanoseconds> standard_deviation() const;
  /// The least time that at least this share (0 to 1) of the counted ones does not exceed, as the upper end
  /// of its bucket, and never above the longest. Absent where nothing was counted.
  [[nodiscard]] std::optional<nanoseconds> value_at_quantile(double quantile) const;

  struct Bucket {
    nanoseconds first{0};
    nanoseconds last{0};  ///< inclusive, to the microsecond
    std::uint64_t count = 0;
  };
  /// Every bucket that counted something, the shortest first.
  void for_each(const std::function<void(const Bucket&)>& see) const;

 private:
  /// As many buckets as are equally wide; the first two pages have steps of a microsecond.
  static constexpr std::size_t kPageSize = kSubBuckets / 2;
  static constexpr std::size_t kPages = kBuckets + 1;

  [[nodiscard]] static std::size_t page_of(std::uint64_t us);
  [[nodiscard]] static Bucket bucket_at(std::size_t page, std::size_t slot);
  std::vector<std::uint32_t>& page(std::size_t number);

  std::array<std::vector<std::uint32_t>, kPages> pages_;  ///< empty until something falls into one
  std::uint64_t count_ = 0;
  std::uint64_t sum_us_ = 0;
  std::uint64_t max_us_ = 0;
};

}  // namespace pgfiredrill
