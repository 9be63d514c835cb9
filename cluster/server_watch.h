#pragma once

/// One member's own PostgreSQL, asked again and again through a session that is kept open: on a thread of its
/// own, so that a host that hangs delays nobody, and the attempt to reach it goes on behind a look's back.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "cluster/cluster_probe.h"
#include "cluster/postgres_control.h"
#include "cluster/superuser_session.h"

namespace pgfiredrill {

struct ServerAnswer {
  ServerState state;
  ArchiverState archiver;  ///< counts on the leader
};

class ServerWatch {
 public:
  /// All must outlive this.
  ServerWatch(const ClusterDescription& cluster, const Member& member, Host& host);
  /// Waits for a login or ssh that is under way.
  ~ServerWatch();
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;

  /// Asks now; an earlier question that hangs is no answer to this one. From one thread at a time.
  [[nodiscard]] ServerAnswer ask(std::chrono::steady_clock::time_point deadline);

 private:
  void work();
  [[nodiscard]] ServerAnswer question();
  [[nodiscard]] Result<void> log_in();

  const ClusterDescription& cluster_;
  const Member& member_;
  Host& host_;

  // The thread's own.
  std::optional<SuperuserRoute> route_;
  std::optional<PostgresControl> session_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool asked_ = false;  ///< from the question until its answer
  ServerAnswer answer_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace pgfiredrill
