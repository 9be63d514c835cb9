#pragma once

/// Drives canaries and the ledger over every path, open loop, and records what became of each operation.
///
/// Threads of its own: `traffic` (pooled lanes, one millisecond tick for all of them, the ledger writer's
/// epoll set as one descriptor) and `connector-N` (every login, fresh sessions whole). Called from main.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/failure.h"
#include "base/secret.h"
#include "record/manifest.h"
#include "record/recorder.h"

namespace pgfiredrill {

/// As whom traffic logs in, everywhere.
struct TrafficAccess {
  std::string database;
  std::string user;
  Secret password;
  std::string sslmode = "require";
};

struct TrafficOptions {
  std::vector<TrafficPath> paths;  ///< as in the manifest; ledger paths included
  TrafficAccess access;
  int connector_threads = 1;
  std::string pool_mode;  ///< of the cluster's poolers; empty: unknown
  /// The ledger path's rate is divided among so many connections, each a stream of its own.
  int ledger_connections = 4;
  bool synchronous_promised = false;  ///< an acknowledgement without a synchronous standby is weak
};

/// A path that could not be logged in to, or whose first statement failed.
struct PathTrouble {
  std::string path;
  std::string text;  ///< on one line, no secret
};

class Traffic {
 public:
  /// `recorder` and `clock` must outlive it. Opens the files of operations and starts the threads; nothing is
  /// sent yet. Fails where a file cannot be opened.
  [[nodiscard]] static Result<std::unique_ptr<Traffic>> create(TrafficOptions options, Recorder& recorder,
                                                               Clock& clock);
  /// Stops and joins.
  virtual ~Traffic() = default;

  /// Logs in every connection of every pooled lane and of the ledger, makes one read over each path (pools
  /// behind poolers are then open), at most `deadline` for all. Blocking. The paths that failed are the
  /// result.
  [[nodiscard]] virtual std::vector<PathTrouble> warm_up(nanoseconds deadline) = 0;
  /// The schedule begins now (recorded as `traffic_started`); may be called again after `stop`.
  /// `first_stream` is the number of the first ledger stream: numbers are never sent twice in a run.
  virtual void start(std::uint16_t first_stream) = 0;
  /// No operation is due any more (recorded as `traffic_stopped`); returns when each that was due has its
  /// outcome, at most a deadline later. Sessions stay open.
  virtual void stop() = 0;
  /// Ends all sessions of ours (for the fence). Blocking.
  virtual void disconnect() = 0;
};

/// Rates within what sessions cost and what writes may be (docs/measuring.md): sets `rate_hz` and
/// `write_rate_hz` of each path. `pooled_hz` is the rate of pooled canaries, `fresh_per_second` that of all
/// fresh sessions together: less where a machine or a pooler cannot bear so many logins. Pure.
void assign_rates(std::vector<TrafficPath>& paths, double pooled_hz, double ledger_hz,
                  double fresh_per_second = 60);

}  // namespace pgfiredrill
