#include "drivers/fresh_lane.h"

#include <utility>

namespace pgfiredrill {

struct FreshLane::Run {
  explicit Run(PendingOperation due) : operation{std::move(due)} {}

  PendingOperation operation;
  std::unique_ptr<LoginWalk> walk;
  std::unique_ptr<PostgresSession> session;
};

FreshLane::FreshLane(boost::asio::io_context& loop, LaneJournal journal,
                     std::vector<ConnectParameters> targets)
    : loop_{loop}, journal_{std::move(journal)}, targets_{std::move(targets)} {}

FreshLane::~FreshLane() {
  for (auto& [id, run] : runs_) journal_.close_abandoned(std::move(run->operation));
}

void FreshLane::start(nanoseconds first) {
  const TrafficPath& path = journal_.path();
  schedule_.emplace(first, path.rate_hz, path.write_rate_hz);
}

void FreshLane::tick(nanoseconds now) {
  if (!schedule_) return;
  while (const auto due = schedule_->take_due(now)) begin(*due);
}

void FreshLane::begin(const DueOperation& due) {
  const auto id = next_number_++;
  auto run = std::make_shared<Run>(journal_.open({.number = id, .at = due.at, .write = due.write}));
  const auto left = journal_.time_left(run->operation);
  if (left.count() == 0) {
    return journal_.close_dropped(std::move(run->operation), Trouble::late_dispatch, Layer::instrument);
  }
  runs_[id] = run;
  run->walk = std::make_unique<LoginWalk>(loop_, targets_);
  run->walk->start(left, [this, id](LoginEnd end) { on_login(id, std::move(end)); });
}

void FreshLane::on_login(std::uint64_t id, LoginEnd end) {
  const auto run = runs_.at(id);
  if (!end.session) {
    runs_.erase(id);
    return journal_.close_at_login(std::move(run->operation), end.evidence);
  }
  run->session = std::move(end.session);
  journal_.mark_sent(run->operation);
  const Operation& draft = run->operation.draft();
  run->session->execute(canary_statement(journal_.number(), draft.number, draft.write),
                        journal_.time_left(run->operation),
                        [this, id](const StatementEvidence& evidence) { on_answer(id, evidence); });
}

void FreshLane::on_answer(std::uint64_t id, const StatementEvidence& evidence) {
  const auto run = runs_.at(id);
  runs_.erase(id);
  journal_.close_answered(std::move(run->operation), evidence);
}

}  // namespace pgfiredrill
