#pragma once

/// Everything that is computed of a run: the content of report.json as plain data. Instants (`start_s`,
/// `end_s`, `first_s`, `last_s`, `confirmed_s`) count from the repeat's injection (the beginning of its
/// interval), other `_s` are durations.
///
/// A number that was not measured is absent and stands in `not_measured` with its reason; never 0.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/expectation.h"
#include "base/finding.h"
#include "base/verdict.h"
#include "record/error_class.h"
#include "record/manifest.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

struct NotMeasured {
  std::string
      pointer;  ///< JSON pointer relative to the repeat: "/paths/3/outage_s", "/recovery/full_health_s"
  std::string reason;
};

/// An outage. `censored`: it was still open when observation ended, so it lasted at least this long.
struct Window {
  double start_s = 0;
  double end_s = 0;
  bool censored = false;
};

struct ErrorWindow {
  ErrorClass error;
  Layer layer = Layer::unknown;
  std::size_t count = 0;
  double first_s = 0;
  double last_s = 0;
};

/// How far the path's own numbers can be trusted.
struct Instrument {
  bool valid = true;
  std::string why;  ///< a sentence where it is not
  double loop_stall_max_s = 0;
  std::size_t offered = 0;   ///< operations due
  std::size_t achieved = 0;  ///< operations sent
  std::size_t dropped = 0;   ///< all drops, whoever is to blame
};

struct PathResult {
  TrafficPath path;
  double resolution_s = 0;  ///< interval between due times
  std::vector<Window> windows;
  std::optional<double> outage_s;       ///< longest window; 0 where there was none
  std::optional<double> unavailable_s;  ///< sum of the windows
  std::optional<double> span_s;         ///< first window's start to last window's end
  std::optional<double> error_s;
  std::optional<double> stall_s;
  std::optional<double> longest_gap_s;
  std::optional<double> partial_s;
  std::optional<double> availability_pct;
  std::vector<ErrorWindow> errors;
  Instrument instrument;
};

struct NumberRange {
  std::uint16_t stream = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct NodeDurability {
  std::string member;
  bool read = false;
  std::string why_not;
  std::uint32_t timeline = 0;
  std::size_t rows = 0;
  std::size_t lost = 0;  ///< acknowledged and not here
};

struct Durability {
  std::size_t attempted = 0;
  std::size_t acknowledged = 0;  ///< without the weak ones
  std::size_t weak = 0;
  std::size_t in_doubt = 0;
  std::size_t failed = 0;
  std::optional<std::size_t> lost;  ///< acknowledged and not on the leader
  std::optional<std::size_t> weak_lost;
  std::optional<std::size_t> unexpected;  ///< failed, and there: accuses the instrument
  std::optional<std::size_t> duplicated;
  std::optional<std::size_t> in_doubt_present;
  std::optional<std::int64_t> rpo_bytes;  ///< absent where nothing was lost and no timeline ended
  std::vector<NumberRange> lost_ranges;
  std::vector<NodeDurability> nodes;
};

struct ExpectationResult {
  Expectation expectation;
  std::optional<double> measured;  ///< folded over the matched paths
  bool passed = false;
  std::string why;  ///< where nothing could be measured or no path matched
};

struct RepeatResult {
  std::size_t repeat = 0;
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;
  std::string target;       ///< the host or member that the fault hit
  std::string evidence;     ///< what proved that it took
  std::string injected_at;  ///< RFC 3339 UTC; empty: never injected
  std::optional<double> confirmed_s;
  std::optional<double> random_delay_s;
  std::string reverted_at;  ///< empty where there was nothing to revert
  std::optional<bool> verified;
  std::string old_leader;
  std::string new_leader;
  std::vector<PathResult> paths;  ///< canary paths
  std::optional<Durability> durability;
  std::optional<double> full_health_s;
  std::vector<ExpectationResult> expectations;
  std::vector<NotMeasured> not_measured;
};

/// Over the repeats of a drill; intervals are seeded 95 % bootstraps of the median, from 20 repeats on.
struct SummaryRow {
  std::string metric;
  std::string path;  ///< empty for metrics of the whole repeat
  std::size_t n = 0;
  double min = 0, median = 0, max = 0;
  std::optional<double> p95, ci_low, ci_high;
};

struct DrillResult {
  DrillPlan plan;
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;
  std::vector<RepeatResult> repeats;
  std::vector<SummaryRow> summary;
};

struct ClockResult {
  std::string node;
  std::optional<double> offset_s;
  std::optional<double> error_s;
};

struct RunResult {
  RunManifest manifest;
  std::string started_at;  ///< RFC 3339 UTC
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;
  std::vector<Finding> findings;
  std::vector<ClockResult> clocks;
  std::vector<DrillResult> drills;
  bool ended = true;  ///< the record says that the run came to its end
};

}  // namespace pgfiredrill
