#include "drivers/pooled_lane.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pgfiredrill {
namespace {

/// More than a round trip through every layer of a healthy cluster takes in one data centre.
constexpr double kRoundTripSeconds = 0.02;
/// As many as a thousand canaries a second need.
constexpr int kMostSessions = 40;

}  // namespace

int sessions_for(double rate_hz) {
  const double needed = std::ceil(2 * rate_hz * kRoundTripSeconds);
  return static_cast<int>(std::clamp(needed, 2.0, static_cast<double>(kMostSessions)));
}

PooledLane::PooledLane(LaneJournal journal, SocketSet& sockets, const std::vector<double>& phases,
                       OpenSession open)
    : journal_{std::move(journal)}, open_{std::move(open)} {
  for (std::size_t i = 0; i < phases.size(); ++i) {
    sessions_.push_back(std::make_unique<PooledSession>(sockets, phases[i], [this, i] { on_ready(i); }));
  }
}

PooledLane::~PooledLane() {
  for (auto& operation : waiting_) drop(std::move(operation), Trouble::other, Layer::instrument);
  const nanoseconds now = journal_.now();
  for (const auto& session : sessions_) {
    if (session->state() == SessionState::busy)
      journal_.close_abandoned(std::move(session->finish(true, now).operation));
  }
}

void PooledLane::warm_up(nanoseconds limit, const std::function<void(std::string)>& on_end) {
  for (std::size_t i = 0; i < sessions_.size(); ++i) warm_up_session(i, limit, on_end);
}

void PooledLane::warm_up_session(std::size_t index, nanoseconds limit,
                                 const std::function<void(std::string)>& on_end) {
  PooledSession& session = *sessions_[index];
  if (session.state() == SessionState::busy) return on_end("");
  // A session that stands is not trusted: what is behind it is asked by a new one.
  session.close();
  session.reopen(journal_.now());
  const auto attempt = session.begin_attempt(journal_.now());
  open_(limit, true, [this, index, attempt, on_end](OpenedSession opened) {
    const bool good = opened.ready && opened.trouble.error.none();
    std::string trouble = good ? ""
                               : opened.trouble.error.to_string() + " (" + to_string(opened.trouble.layer) +
                                     "): " + opened.text;
    on_opened(index, attempt, std::move(opened));
    on_end(std::move(trouble));
  });
}

void PooledLane::connect(std::size_t index, nanoseconds now) {
  const auto attempt = sessions_[index]->begin_attempt(now);
  open_(journal_.path().deadline, false,
        [this, index, attempt](OpenedSession opened) { on_opened(index, attempt, std::move(opened)); });
}

void PooledLane::on_opened(std::size_t index, std::uint64_t attempt, OpenedSession opened) {
  PooledSession& session = *sessions_[index];
  if (!opened.trouble.error.none()) {
    last_trouble_ = opened.trouble.layer;
    journal_.note_trouble(opened.trouble, opened.text);
  }
  if (!session.awaits(attempt)) return;
  if (!opened.ready) return session.attempt_failed(journal_.now());
  session.attempt_succeeded(std::move(opened.exchange));
  dispatch_waiting();
}

void PooledLane::start(nanoseconds first, LedgerNumbers* numbers) {
  const TrafficPath& path = journal_.path();
  numbers_ = numbers;
  const double writes = path.purpose == Purpose::canary ? path.write_rate_hz : path.rate_hz;
  schedule_.emplace(first, path.rate_hz, writes);
  for (const auto& session : sessions_) session->reopen(journal_.now());
}

void PooledLane::start_closed_loop(LedgerNumbers& numbers) {
  numbers_ = &numbers;
  closed_loop_ = true;
  for (const auto& session : sessions_) session->reopen(journal_.now());
}

void PooledLane::stop() {
  schedule_.reset();
  closed_loop_ = false;
}

void PooledLane::tick(nanoseconds now) {
  end_overdue(now);
  drop_overdue(now);
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i]->attempt_due(now)) connect(i, now);
  }
  if (closed_loop_) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) send_next(i);
  }
  if (!schedule_) return;
  while (const auto due = schedule_->take_due(now)) admit(*due, now);
}

void PooledLane::admit(const DueOperation& due, nanoseconds now) {
  PendingOperation operation = journal_.open(due);
  // The ledger's numbers come from the session that sends.
  if (numbers_ == nullptr) operation.draft().number = next_number_++;
  if (now >= journal_.deadline_of(operation))
    return drop(std::move(operation), Trouble::late_dispatch, Layer::instrument);
  waiting_.push_back(std::move(operation));
  dispatch_waiting();
}

void PooledLane::dispatch_waiting() {
  for (std::size_t i = 0; i < sessions_.size() && !waiting_.empty(); ++i) {
    if (sessions_[i]->state() != SessionState::idle) continue;
    // Looked at once more: a session that was closed a moment ago would put a write in doubt for nothing.
    on_ready(i);
    if (sessions_[i]->state() != SessionState::idle || waiting_.empty()) continue;
    PendingOperation operation = std::move(waiting_.front());
    waiting_.pop_front();
    dispatch_to(i, std::move(operation));
  }
}

void PooledLane::send_next(std::size_t index) {
  if (!closed_loop_ || sessions_[index]->state() != SessionState::idle) return;
  dispatch_to(index, journal_.open({.number = 0, .at = journal_.now(), .write = true}));
}

/// What waits next, over the session that has just become free: it is not looked at again, it was a moment
/// ago.
void PooledLane::go_on(std::size_t index) {
  if (closed_loop_) return send_next(index);
  if (waiting_.empty() || sessions_[index]->state() != SessionState::idle) return dispatch_waiting();
  PendingOperation operation = std::move(waiting_.front());
  waiting_.pop_front();
  dispatch_to(index, std::move(operation));
}

const Statement& PooledLane::statement_for(const Operation& operation) {
  if (numbers_ == nullptr) {
    statement_ = journal_.path().purpose == Purpose::heartbeat
                     ? heartbeat_statement(operation.number)
                     : canary_statement(journal_.number(), operation.number, operation.write);
  } else if (statement_.sql.empty()) {
    statement_ = ledger_statement(operation.stream, operation.number);
  } else {
    renumber_ledger_statement(statement_, operation.stream, operation.number);
  }
  return statement_;
}

void PooledLane::dispatch_to(std::size_t index, PendingOperation operation) {
  Operation& draft = operation.draft();
  if (numbers_ != nullptr) {
    draft.stream = numbers_->stream_of(index);
    draft.number = numbers_->take(draft.stream);
  }
  journal_.mark_sent(operation);
  const Statement& statement = statement_for(draft);
  sessions_[index]->send(std::move(operation), statement);
}

void PooledLane::on_ready(std::size_t index) {
  PooledSession& session = *sessions_[index];
  const bool ended = session.advance();
  if (!ended) return;
  if (session.state() == SessionState::busy) {
    finish(index, false);
    return go_on(index);
  }
  const auto last_words = session.last_words();
  const Classification trouble = classify_idle_loss(last_words, journal_.path().depth);
  last_trouble_ = trouble.layer;
  journal_.note_trouble(trouble, last_words ? last_words->text : "an idle session was closed");
  session.lose(journal_.now());
}

void PooledLane::finish(std::size_t index, bool deadline_passed) {
  auto finished = sessions_[index]->finish(deadline_passed, journal_.now());
  journal_.close_answered(std::move(finished.operation), finished.evidence);
}

void PooledLane::end_overdue(nanoseconds now) {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const PooledSession& session = *sessions_[i];
    if (session.state() != SessionState::busy || now < journal_.deadline_of(session.operation())) continue;
    last_trouble_ = Layer::unknown;
    finish(i, true);
  }
}

void PooledLane::drop_overdue(nanoseconds now) {
  while (!waiting_.empty() && now >= journal_.deadline_of(waiting_.front())) {
    PendingOperation operation = std::move(waiting_.front());
    waiting_.pop_front();
    drop(std::move(operation), Trouble::no_connection, last_trouble_);
  }
}

void PooledLane::drop(PendingOperation operation, Trouble why, Layer layer) {
  if (numbers_ != nullptr) {
    // A number of its own, so that the record names each write; it is never sent.
    Operation& draft = operation.draft();
    draft.stream = numbers_->stream_of(0);
    draft.number = numbers_->take(draft.stream);
  }
  journal_.close_dropped(std::move(operation), why, layer);
}

bool PooledLane::settled() const {
  const bool busy = std::any_of(sessions_.begin(), sessions_.end(),
                                [](const auto& session) { return session->state() == SessionState::busy; });
  return !schedule_ && !closed_loop_ && waiting_.empty() && !busy;
}

void PooledLane::disconnect() {
  for (const auto& session : sessions_) {
    if (session->state() != SessionState::busy) session->close();
  }
}

}  // namespace pgfiredrill
