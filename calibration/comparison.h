#pragma once

/// Outages as they really were against those that were measured of a path. Pure.
///
/// What a path can see of an outage: an operation that is held and let go within its deadline is a success,
/// so of bytes that were only held for a while the last `deadline` of an outage is none. All other kinds are
/// to be seen from end to end.

#include <cstddef>
#include <string>
#include <vector>

#include "calibration/outage_kind.h"
#include "measure/instrument_check.h"
#include "measure/path_windows.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

/// Everything of one path that is compared.
struct PathEvidence {
  OutageKind kind = OutageKind::refuse;
  SessionKind session = SessionKind::fresh;
  nanoseconds interval{0};
  nanoseconds deadline{0};
  nanoseconds login_p99{0};           ///< of its own logins, out of any outage; fresh sessions only
  std::vector<TrueOutage> outages;    ///< in order, apart from one another
  std::vector<OutageWindow> windows;  ///< in order
  std::vector<LoopStall> stalls;      ///< of the loops that serve it
};

struct ComparedOutage {
  TrueOutage truth;
  nanoseconds visible{0};   ///< how much of it the path can see
  nanoseconds measured{0};  ///< from the first window's start to the last one's end; 0: none
  nanoseconds bound{0};     ///< without stalls
  nanoseconds stall{0};     ///< of our own loops, recorded around it
  bool missed = false;      ///< long enough to be seen for certain, and not seen

  [[nodiscard]] nanoseconds error() const {
    return measured > visible ? measured - visible : visible - measured;
  }
  [[nodiscard]] bool within() const { return error() <= bound + stall; }
  [[nodiscard]] bool within_without_stall() const { return error() <= bound; }
};

struct PathComparison {
  std::vector<ComparedOutage> outages;
  std::vector<OutageWindow> invented;  ///< windows that no outage explains
};

[[nodiscard]] PathComparison compare(const PathEvidence& evidence);

/// How far off a measured outage may be: a fresh session's interval and login, a pooled one's interval and
/// deadline (what waits for its session is late, and no failure), and 2 ms for everything else.
[[nodiscard]] nanoseconds error_bound(const PathEvidence& evidence);

/// All paths of one kind of outage and of session.
struct KindVerdict {
  OutageKind kind = OutageKind::refuse;
  SessionKind session = SessionKind::fresh;
  std::size_t outages = 0;
  nanoseconds error_p50{0};
  nanoseconds error_p99{0};
  nanoseconds error_max{0};
  nanoseconds bound{0};  ///< the widest of its paths
  std::size_t outside = 0;
  std::size_t outside_without_stall = 0;
  std::size_t missed = 0;
  std::size_t invented = 0;
  /// All are within the bound and what was recorded of stalls, 99 of 100 without that, none was missed or
  /// invented, and there was one at all.
  [[nodiscard]] bool holds() const;
};

/// Errors by nearest rank. `comparisons` are of the paths of that kind and session.
[[nodiscard]] KindVerdict judge_kind(OutageKind kind, SessionKind session,
                                     const std::vector<PathComparison>& comparisons);

}  // namespace pgfiredrill
