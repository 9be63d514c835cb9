#pragma once

/// Kept sessions over one path, with a schedule that they share: what applications with a connection pool
/// suffer. An operation takes any idle session; where there is none it waits in the lane, and is dropped when
/// its deadline passes unsent. The ledger is such a lane too, with numbers of its own for each session.
///
/// On the traffic loop's thread, all of it.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/lane_journal.h"
#include "drivers/ledger_numbers.h"
#include "drivers/pooled_session.h"

namespace pgfiredrill {

/// Asks a connector; `handler` is called on the traffic loop's thread.
using OpenSession =
    std::function<void(nanoseconds limit, bool probe, std::function<void(OpenedSession)> handler)>;

class PooledLane {
 public:
  /// `phases` in [0, 1), one for each session.
  PooledLane(LaneJournal journal, SocketSet& sockets, const std::vector<double>& phases, OpenSession open);
  ~PooledLane();
  PooledLane(const PooledLane&) = delete;
  PooledLane& operator=(const PooledLane&) = delete;

  /// Logs in every session that does not stand and makes a read over it; `on_end` is called once for each,
  /// with its trouble or nothing.
  void warm_up(nanoseconds limit, const std::function<void(std::string trouble)>& on_end);
  void start(nanoseconds first, LedgerNumbers* numbers);
  /// Without a schedule: each session sends its next write as soon as it has its answer, which is due then.
  /// For what the lane can bear.
  void start_closed_loop(LedgerNumbers& numbers);
  void stop();
  void tick(nanoseconds now);
  [[nodiscard]] bool settled() const;
  /// Ends all sessions; they are had again with the next warm-up or start.
  void disconnect();

  [[nodiscard]] std::size_t session_count() const noexcept { return sessions_.size(); }

 private:
  void connect(std::size_t index, nanoseconds now);
  void warm_up_session(std::size_t index, nanoseconds limit, const std::function<void(std::string)>& on_end);
  void on_opened(std::size_t index, std::uint64_t attempt, OpenedSession opened);
  void on_ready(std::size_t index);
  void admit(const DueOperation& due, nanoseconds now);
  void dispatch_to(std::size_t index, PendingOperation operation);
  void dispatch_waiting();
  void send_next(std::size_t index);
  void go_on(std::size_t index);
  void finish(std::size_t index, bool deadline_passed);
  void end_overdue(nanoseconds now);
  void drop_overdue(nanoseconds now);
  void drop(PendingOperation operation, Trouble why, Layer layer);
  [[nodiscard]] const Statement& statement_for(const Operation& operation);

  LaneJournal journal_;
  OpenSession open_;
  std::vector<std::unique_ptr<PooledSession>> sessions_;
  std::deque<PendingOperation> waiting_;  ///< by due time; bounded by deadline × rate
  std::optional<Schedule> schedule_;
  bool closed_loop_ = false;
  Statement statement_;                  ///< the last one that was sent
  LedgerNumbers* numbers_ = nullptr;     ///< null: canaries and heartbeats
  std::uint64_t next_number_ = 1;        ///< goes on from start to start: a heartbeat is never sent twice
  Layer last_trouble_ = Layer::unknown;  ///< who ended or refused the lane's last session
};

/// How many sessions a lane needs so that one is free when an operation is due: twice what is under way.
[[nodiscard]] int sessions_for(double rate_hz);

}  // namespace pgfiredrill
