#include "drivers/pooled_session.h"

#include <algorithm>
#include <utility>

namespace pgfiredrill {
namespace {

constexpr nanoseconds kRetry = std::chrono::seconds{1};

}  // namespace

nanoseconds next_attempt(nanoseconds last_attempt, int attempts_failed, double phase) {
  if (attempts_failed > 1) return last_attempt + kRetry;
  const auto earlier = nanoseconds{static_cast<nanoseconds::rep>(kRetry.count() * phase / 2)};
  return last_attempt + kRetry - earlier;
}

PooledSession::PooledSession(SocketSet& sockets, double phase, std::function<void()> on_ready)
    : sockets_{sockets}, phase_{phase}, on_ready_{std::move(on_ready)} {}

PooledSession::~PooledSession() {
  disconnect();
}

void PooledSession::disconnect() {
  if (socket_id_ != 0) sockets_.remove(socket_id_);
  socket_id_ = 0;
  exchange_ = SessionExchange{};
}

std::uint64_t PooledSession::begin_attempt(nanoseconds now) {
  state_ = SessionState::connecting;
  last_attempt_ = now;
  return ++attempt_;
}

void PooledSession::attempt_succeeded(SessionExchange exchange) {
  exchange_ = std::move(exchange);
  socket_id_ = sockets_.add(exchange_.socket(), on_ready_);
  attempts_failed_ = 0;
  state_ = SessionState::idle;
}

void PooledSession::attempt_failed(nanoseconds now) {
  state_ = SessionState::waiting;
  attempt_at_ = std::max(now, next_attempt(last_attempt_, ++attempts_failed_, phase_));
}

void PooledSession::send(PendingOperation operation, const Statement& statement) {
  operation_.emplace(std::move(operation));
  state_ = SessionState::busy;
  exchange_.send(statement);
  sockets_.want_write(socket_id_, exchange_.wants_write());
}

bool PooledSession::advance() {
  const bool over = exchange_.advance();
  sockets_.want_write(socket_id_, exchange_.wants_write());
  return over;
}

PooledSession::Finished PooledSession::finish(bool deadline_passed, nanoseconds now) {
  Finished finished{.operation = std::move(*operation_), .evidence = exchange_.take()};
  operation_.reset();
  finished.evidence.deadline_passed = deadline_passed;
  state_ = SessionState::idle;
  if (deadline_passed || !finished.evidence.ended_cleanly) lose(now);
  return finished;
}

void PooledSession::lose(nanoseconds now) {
  disconnect();
  state_ = SessionState::waiting;
  attempts_failed_ = 0;
  attempt_at_ = now;
}

void PooledSession::close() {
  disconnect();
  state_ = SessionState::closed;
}

void PooledSession::reopen(nanoseconds now) {
  if (state_ == SessionState::closed) lose(now);
}

}  // namespace pgfiredrill
