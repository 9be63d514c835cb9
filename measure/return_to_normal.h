#pragma once

/// When the traffic as a whole was as before the fault: successes a second and the 95th percentile of
/// responses, over every read-write path that the steady state needs and the ledger together. A streaming
/// fold over operations in the order of due time.
///
/// Operations are due whatever becomes of the others, so successes a second are the throughput. Each second
/// from the injection on is a bucket of what was due in it.
/// - Throughput is *good* in a bucket with at least 90 % of the baseline's successes a second. It is back at
///   the start of the first of 3 consecutive good buckets after the first bad one; 3 consecutive bad ones
///   later begin that anew. 0 where no bucket was bad.
/// - Responses are *good* in a bucket whose 95th percentile is at most 1.1 × the baseline's + 1 ms, which is
///   our own tick. What did not succeed counts as slower than everything. They are back at the start of the
///   first of 3 consecutive good buckets from the return of throughput on; 3 bad ones begin that anew. So a
///   lone slow second counts neither for nor against.
///
/// A bucket that observation does not cover whole is left out.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/histogram.h"
#include "measure/repeat_times.h"
#include "measure/results.h"
#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

struct JudgedReturn {
  /// Absent where there was nothing to compare: then `why_not` says why.
  std::optional<ReturnToNormal> result;
  std::string why_not;
  std::string why_no_throughput;  ///< where it was not back, a sentence
  std::string why_no_p95;
};

class ReturnToNormalFold {
 public:
  explicit ReturnToNormalFold(const RepeatTimes& times);

  /// Paths that do not count are passed over.
  void on(const Operation& operation, const TrafficPath& path);
  [[nodiscard]] JudgedReturn finish() const;

 private:
  struct Bucket {
    std::size_t due = 0;
    std::size_t successes = 0;
    std::optional<nanoseconds> p95;  ///< absent where it falls on what did not succeed
  };

  void on_baseline(const Operation& operation, const TrafficPath& path);
  void on_bucket(std::size_t number, const Operation& operation, const TrafficPath& path);
  void close_bucket();
  [[nodiscard]] JudgedReturn judge() const;
  [[nodiscard]] std::optional<std::size_t> find_throughput() const;
  [[nodiscard]] std::optional<std::size_t> find_responses(std::size_t from) const;
  [[nodiscard]] std::string why_no_baseline() const;
  [[nodiscard]] double baseline_seconds() const;
  [[nodiscard]] double baseline_per_s() const;
  [[nodiscard]] std::optional<nanoseconds> baseline_p95() const;

  RepeatTimes times_;
  std::size_t whole_buckets_ = 0;
  LatencyHistogram baseline_;
  std::size_t baseline_due_ = 0;
  std::vector<Bucket> buckets_;         ///< the last one is open
  std::vector<nanoseconds> responses_;  ///< of the open bucket
};

/// Where a row of seconds that were good or bad is back for good: at the first of 3 good ones from `from` on,
/// sought anew after every 3 bad ones. Absent where that is not to be found.
[[nodiscard]] std::optional<std::size_t> find_back(const std::vector<bool>& good, std::size_t from);

}  // namespace pgfiredrill
