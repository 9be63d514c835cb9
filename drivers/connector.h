#pragma once

/// A thread that logs in: for its own fresh sessions, and for the pooled ones of other threads, to whom it
/// hands sessions that are ready. One step of a login burns several milliseconds: loops whose times matter do
/// none.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drivers/classify.h"
#include "drivers/event_loop.h"
#include "drivers/login_walk.h"

namespace pgfiredrill {

/// What a path's sessions log in as and to.
[[nodiscard]] std::vector<ConnectParameters> login_targets(const TrafficPath& path,
                                                           const std::string& database,
                                                           const std::string& user, const Secret& password,
                                                           const std::string& sslmode);

struct OpenRequest {
  std::vector<ConnectParameters> targets;
  Depth depth = Depth::balancer;
  nanoseconds limit{0};
  /// Asked once before the session is handed over: behind a pooler a login alone opens no server.
  bool probe = false;
  bool read_write = false;  ///< a probe that is answered in recovery has failed
};

struct OpenedSession {
  bool ready = false;
  SessionExchange exchange;
  Classification trouble;  ///< of the login or the probe; no error: none
  std::string text;
};

class Connector {
 public:
  Connector(const std::string& name, Recorder& recorder, Clock& clock) : loop_{name, recorder, clock} {}
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  [[nodiscard]] EventLoop& loop() noexcept { return loop_; }

  /// `handler` is called on this connector's thread, once; never where the connector stops before. From any
  /// thread.
  void open(OpenRequest request, std::function<void(OpenedSession)> handler);

 private:
  struct Opening;
  void on_login(std::uint64_t id, LoginEnd end);
  void on_probe(std::uint64_t id, const StatementEvidence& evidence);
  void finish(std::uint64_t id, OpenedSession opened);

  EventLoop loop_;  // first: the openings use it to their end
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Opening>> openings_;  // on the loop's thread
};

}  // namespace pgfiredrill
