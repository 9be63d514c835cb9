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

/// Response or service times of one path's operations that succeeded, in seconds; quantiles are upper bounds
/// of their histogram buckets (three significant digits).
struct LatencyResult {
  std::size_t count = 0;
  double mean_s = 0;
  double p50_s = 0, p90_s = 0, p95_s = 0, p99_s = 0, p999_s = 0;
  double max_s = 0;
};

/// Before the fault and from it on. `response` runs from the due time, `service` from sending.
struct PathLatency {
  std::optional<LatencyResult> response_before, response_after;
  std::optional<LatencyResult> service_before, service_after;
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
  PathLatency latency;
  Instrument instrument;
};

/// Of a path of the ledger, which is judged by durability and not by windows.
struct LedgerLatency {
  std::string path;
  PathLatency latency;
};

/// Lost writes of one stream, and where they had been acknowledged.
struct NumberRange {
  std::uint16_t stream = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t writes = 0;            ///< acknowledged ones in it, all of them lost
  std::vector<std::string> members;  ///< that acknowledged them; "" for one that nothing identified
  std::vector<std::uint32_t> timelines;
  std::string first_lsn, last_lsn;  ///< the lowest and highest position they returned; empty: none was told
  std::optional<std::int64_t> wal_bytes;  ///< from the lowest position to the highest, at least so many
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

/// How far behind replicas were, from the fault's injection on.
struct ReplicaLag {
  std::optional<double> max_bytes;  ///< a server's replayed position behind the leader's, both asked directly
  std::optional<double> max_s;      ///< an acknowledged heartbeat that a read did not show yet
  struct Node {
    std::string member;  ///< that was a replica at some time
    double max_bytes = 0;
  };
  struct Path {
    std::string id;
    std::size_t reads = 0;  ///< that saw a heartbeat
    std::optional<double> p95_s, max_s;
  };
  std::vector<Node> nodes;
  std::vector<Path> paths;
};

/// Two servers that took writes at the same time.
struct SplitBrain {
  bool proven = false;               ///< by acknowledged writes
  bool possible = false;             ///< by what the servers said of themselves, within the clocks' error
  bool through_entry_point = false;  ///< proven where clients go, not only on a node asked directly
  std::optional<double> overlap_s;   ///< how long two servers were out of recovery at once, at least
  std::vector<std::string> evidence;
};

/// What became of one session that an application held across the fault.
struct ClientResult {
  std::uint64_t client = 0;
  std::string kind;  ///< "idle", "in_transaction", "long_query"
  std::string entrypoint;
  /// "works": went on, at last on the leader. "error": ended by an error, as it should. "stuck": neither
  /// until the end of observation.
  std::string end;
  std::optional<double> after_s;  ///< when that was seen, from injection; of "stuck": since when it waited
  std::optional<double> stuck_s;  ///< the longest that a statement was not answered
  ErrorClass error;
  Layer layer = Layer::none;
  std::string text;
  std::size_t read_only_errors = 0;  ///< 25006, or an answer from recovery, after the new leader was up
  std::optional<double> read_only_until_s;  ///< the last of them, from injection
};

/// When the traffic as a whole was as before the fault: see docs/measuring.md.
struct ReturnToNormal {
  std::optional<double> throughput_s;  ///< from injection; 0: it never fell
  std::optional<double> p95_s;
  double baseline_per_s = 0;
  std::optional<double> baseline_p95_s;
};

/// What an application with such a policy would have seen, replayed over what a path recorded.
struct ApplicationView {
  std::string path;
  std::string policy;
  std::size_t requests = 0;
  std::size_t failed = 0;
  std::size_t unfinished = 0;  ///< neither served nor failed when observation ended
  std::optional<double> longest_hang_s;
  bool censored = false;  ///< there are unfinished ones: the longest hang is an "at least"
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
  std::optional<std::size_t> failovers;  ///< how often the leader's role began anew, planned or not
  std::vector<PathResult> paths;         ///< canary paths
  std::vector<LedgerLatency> ledger_latency;
  std::optional<Durability> durability;
  std::optional<double> full_health_s;
  std::optional<ReplicaLag> replica_lag;
  std::optional<SplitBrain> split_brain;
  std::vector<ClientResult> clients;
  std::optional<ReturnToNormal> return_to_normal;
  std::vector<ApplicationView> applications;
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

/// A node's wall clock against this machine's.
struct ClockResult {
  std::string node;
  std::optional<double>
      offset_s;  ///< of the exchange with the shortest round trip: positive where it is ahead
  std::optional<double> error_s;    ///< at most: half that round trip
  std::optional<double> drift_ppm;  ///< over the run, where it lasted long enough to tell it from the error
  std::size_t steps = 0;            ///< jumps of the offset that no error explains
  std::size_t own_steps = 0;        ///< of them those of this machine's wall clock
  std::string why_not;
};

/// Logins that one layer took a second, as fast as they went.
struct ReconnectResult {
  Layer layer = Layer::unknown;
  std::string entrypoint;
  double logins_per_s = 0;                ///< at the best of the concurrencies that were tried
  std::size_t concurrency = 0;            ///< that one: sessions logging in at once
  std::size_t failed = 0;                 ///< over all of them
  bool limited_by_driver = false;         ///< this machine could do no more: the layer takes at least so many
  std::optional<double> sessions_back_s;  ///< to bring back as many sessions as the cluster allows
  std::optional<std::size_t> sessions;    ///< max_connections
};

struct RunResult {
  RunManifest manifest;
  std::string started_at;  ///< RFC 3339 UTC
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;
  std::vector<Finding> findings;
  std::vector<ClockResult> clocks;
  std::vector<ReconnectResult> reconnect;
  std::vector<DrillResult> drills;
  bool ended = true;  ///< the record says that the run came to its end
};

}  // namespace pgfiredrill
