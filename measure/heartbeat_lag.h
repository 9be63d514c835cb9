#pragma once

/// How old the data was that reads through replicas were shown, by heartbeats: numbers that our traffic
/// writes 50 times a second, and that every canary is shown the newest of. Both ends are on this machine's
/// clock.
///
/// A read that was sent at s and showed number H is behind by s less the time at which the first heartbeat
/// above H had been acknowledged: from then on, somebody had been told that newer data is there.
///
/// Across a failover that lost heartbeats the new leader shows an old number until it takes the next write:
/// reads are then behind by the age of the first heartbeat that is missing, which is what the client of the
/// lost write sees. While nobody can write, no newer data was acknowledged to anybody, and nothing falls
/// behind by that alone.
///
/// Pure streaming fold, operations in the order of due time. Memory: the heartbeats of a repeat that a read
/// may still be compared with (a million at most), and the reads of one deadline.

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <vector>

#include "measure/histogram.h"
#include "measure/results.h"
#include "record/manifest.h"
#include "record/operation.h"

namespace pgfiredrill {

/// When which heartbeat had been acknowledged.
class AcknowledgedHeartbeats {
 public:
  /// In the order of their numbers; what comes out of order is left out.
  void add(std::uint64_t number, nanoseconds done);
  /// When the first one above `number` had been acknowledged; absent where none was.
  [[nodiscard]] std::optional<nanoseconds> first_above(std::uint64_t number) const;

 private:
  struct Heartbeat {
    std::uint64_t number;
    nanoseconds done;
  };
  void thin_out();

  /// Rising in both: one that was acknowledged after a later number answers no question.
  std::vector<Heartbeat> heartbeats_;
};

class HeartbeatLag {
 public:
  /// Reads that were sent before `from` (the injection) are not looked at; heartbeats are.
  HeartbeatLag(const std::vector<TrafficPath>& paths, nanoseconds from);

  void on(const Operation& operation);

  struct Result {
    std::vector<ReplicaLag::Path> paths;  ///< canary paths that read, in the manifest's order
    std::optional<double> max_s;          ///< over all of them
    std::string why_not;                  ///< where there is none
  };
  /// Once, after the last operation.
  [[nodiscard]] Result finish();

 private:
  struct Read {
    nanoseconds sent{0};
    std::uint16_t path = 0;
    std::uint32_t shown = 0;
    [[nodiscard]] bool operator>(const Read& other) const noexcept { return sent > other.sent; }
  };

  void on_heartbeat(const Operation& operation);
  void on_read(const Operation& operation);
  void judge_reads_until(nanoseconds due);
  void judge(const Read& read);
  [[nodiscard]] bool reads_replicas(std::uint16_t path) const;

  const std::vector<TrafficPath>& paths_;
  nanoseconds from_;
  bool any_heartbeat_ = false;
  AcknowledgedHeartbeats heartbeats_;
  /// Heartbeats that were due before a read was sent may follow it in the stream.
  std::priority_queue<Read, std::vector<Read>, std::greater<>> waiting_;
  std::map<std::uint16_t, LatencyHistogram> lag_of_path_;
};

}  // namespace pgfiredrill
