#pragma once

/// Fresh sessions over one path: each operation connects, asks once and closes, on a connector's loop and
/// within its deadline from the due time. What is under way at once is bounded by that deadline.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "drivers/lane_journal.h"
#include "drivers/login_walk.h"

namespace pgfiredrill {

/// On its loop's thread, all of it.
class FreshLane {
 public:
  FreshLane(boost::asio::io_context& loop, LaneJournal journal, std::vector<ConnectParameters> targets);
  ~FreshLane();
  FreshLane(const FreshLane&) = delete;
  FreshLane& operator=(const FreshLane&) = delete;

  void start(nanoseconds first);
  void stop() { schedule_.reset(); }
  void tick(nanoseconds now);
  [[nodiscard]] bool settled() const { return !schedule_ && runs_.empty(); }

 private:
  struct Run;
  void begin(const DueOperation& due);
  void on_login(std::uint64_t id, LoginEnd end);
  void on_answer(std::uint64_t id, const StatementEvidence& evidence);

  boost::asio::io_context& loop_;
  LaneJournal journal_;
  std::vector<ConnectParameters> targets_;
  std::optional<Schedule> schedule_;
  std::uint64_t next_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Run>> runs_;
};

}  // namespace pgfiredrill
