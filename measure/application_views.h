#pragma once

/// What applications would have seen of a fault, each with its way to retry: the record of a read-write path,
/// replayed. Pure.
///
/// One request begins at each due time of the path from the injection on. An attempt at some instant meets
/// what the path's operation met that was due last, and takes as long. What was given up on at the
/// operation's deadline (a stall) is a failed attempt after that deadline, but for `driver-default`.
///
/// | policy | does |
/// |---|---|
/// | `no-retry` | one attempt |
/// | `retry-3x1s` | up to three more, each a second after the one before failed |
/// | `backoff-30s` | waits 0.1, 0.2, 0.4 … 5 s between, begins none later than 30 s after the request |
/// | `driver-default` | one attempt without any timeout, as libpq and JDBC are shipped |
/// | `tsa` | a multi-host list with target_session_attrs=read-write: a second after each failure again |
///
/// `driver-default` is the worst that the record allows: what hung at our deadline may have been answered
/// later, and nobody waited for it. It hangs until TCP's keepalive ends it (300 s + 10 × 30 s) or observation
/// does; then the request is unfinished and its hang an "at least".

#include <cstdint>
#include <vector>

#include "measure/repeat_times.h"
#include "measure/results.h"
#include "record/operation.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

class ApplicationFold {
 public:
  /// `path` must outlive the fold.
  ApplicationFold(const TrafficPath& path, const RepeatTimes& times);

  /// Paths that applications use to write: by entry points or a list, no member's own.
  [[nodiscard]] static bool concerns(const TrafficPath& path);

  /// `done` records of the path in the order of due time; what is out of order is passed over. What was
  /// dropped because this program was late is no attempt of anybody's.
  void on(const Operation& operation);
  /// One for each policy that fits the path; none where no request began.
  [[nodiscard]] std::vector<ApplicationView> finish() const;

  /// How an attempt ended. Sixteen bytes each, since there may be millions.
  enum class AttemptEnd : std::uint8_t { success, failed, hung };
  struct Attempt {
    nanoseconds due{0};
    std::uint32_t lasted_us = 0;
    AttemptEnd end = AttemptEnd::success;
  };

 private:
  const TrafficPath* path_;
  RepeatTimes times_;
  std::vector<Attempt> attempts_;
};

}  // namespace pgfiredrill
