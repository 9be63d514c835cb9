#include "cluster/postgres_session.h"

#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <libpq-fe.h>

#include "base/failure.h"

namespace pgfiredrill {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

/// Where it stands while it is going on; a failed one only says that it is bad.
LoginStage stage_of(PGconn* connection, LoginStage before) {
  if (PQsslInUse(connection) != 0) return LoginStage::authenticating;
  switch (PQstatus(connection)) {
    case CONNECTION_STARTED:
      return LoginStage::connecting;
    case CONNECTION_MADE:
    case CONNECTION_SSL_STARTUP:
      return LoginStage::negotiating;
    case CONNECTION_BAD:
      return before;
    default:
      return LoginStage::authenticating;
  }
}

}  // namespace

/// Shared with the handlers that Asio holds, which find it closed once the session's owner let go.
class PostgresSession::Impl : public std::enable_shared_from_this<Impl> {
 public:
  explicit Impl(boost::asio::io_context& loop) : loop_{loop}, descriptor_{loop}, deadline_{loop} {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { release_descriptor(); }

  void close();
  void log_in(const ConnectParameters& parameters, std::chrono::nanoseconds limit,
              std::function<void(const LoginEvidence&)> handler);
  void execute(const Statement& statement, std::chrono::nanoseconds limit,
               std::function<void(StatementEvidence)> handler);
  SessionExchange detach();
  void attach(SessionExchange exchange);

 private:
  void end_exchange() {
    ++exchange_number_;
    ++wait_number_;
    deadline_.cancel();
  }
  void start_deadline(std::chrono::nanoseconds limit, void (Impl::*on_expiry)());
  void release_descriptor() {
    // Before libpq closes the socket: else this would close the number of whoever got it next.
    if (descriptor_.is_open()) descriptor_.release();
  }
  bool watch(int socket);
  template <typename Next>
  void wait(stream_descriptor::wait_type event, Next next);

  void login_step();
  void login_expired();
  void end_login(bool expired);

  void answer_step();
  void answer_expired();
  void wait_for_answer();
  void end_answer(bool expired);

  boost::asio::io_context& loop_;
  stream_descriptor descriptor_;
  boost::asio::steady_timer deadline_;
  // Timers and waits of what is over find another number than theirs.
  unsigned exchange_number_ = 0;
  unsigned wait_number_ = 0;

  LibpqConnection connecting_;
  LoginStage stage_ = LoginStage::connecting;
  Secret password_;
  std::function<void(const LoginEvidence&)> on_login_;

  SessionExchange exchange_;
  std::function<void(StatementEvidence)> on_answer_;
};

void PostgresSession::Impl::close() {
  end_exchange();
  release_descriptor();
  on_login_ = nullptr;
  on_answer_ = nullptr;
  connecting_.reset();
  exchange_ = SessionExchange{};
}

void PostgresSession::Impl::start_deadline(std::chrono::nanoseconds limit, void (Impl::*on_expiry)()) {
  deadline_.expires_after(limit);
  deadline_.async_wait([weak = weak_from_this(), number = exchange_number_, on_expiry](error_code) {
    const auto self = weak.lock();
    if (self && self->exchange_number_ == number) (self.get()->*on_expiry)();
  });
}

bool PostgresSession::Impl::watch(int socket) {
  error_code error;
  descriptor_.assign(socket, error);
  return !error;
}

template <typename Next>
void PostgresSession::Impl::wait(stream_descriptor::wait_type event, Next next) {
  descriptor_.async_wait(event, [weak = weak_from_this(), number = wait_number_, next](error_code error) {
    const auto self = weak.lock();
    if (!self || self->wait_number_ != number || error) return;
    ++self->wait_number_;  // of a pair of waits one goes on
    (self.get()->*next)();
  });
}

void PostgresSession::Impl::log_in(const ConnectParameters& parameters, std::chrono::nanoseconds limit,
                                   std::function<void(const LoginEvidence&)> handler) {
  on_login_ = std::move(handler);
  password_ = parameters.password;
  start_deadline(limit, &Impl::login_expired);
  connecting_ = start_libpq_login(parameters);
  const bool begun = PQstatus(connecting_.get()) != CONNECTION_BAD && watch(PQsocket(connecting_.get()));
  if (begun) return wait(stream_descriptor::wait_write, &Impl::login_step);
  boost::asio::post(loop_, [weak = weak_from_this(), number = exchange_number_] {
    const auto self = weak.lock();
    if (self && self->exchange_number_ == number) self->end_login(false);
  });
}

void PostgresSession::Impl::login_step() {
  // libpq replaces its socket, often by one with the same number: what was watched is forgotten before.
  release_descriptor();
  const auto next = PQconnectPoll(connecting_.get());
  stage_ = stage_of(connecting_.get(), stage_);
  if (next == PGRES_POLLING_OK || next == PGRES_POLLING_FAILED) return end_login(false);
  if (!watch(PQsocket(connecting_.get()))) return end_login(false);
  wait(next == PGRES_POLLING_READING ? stream_descriptor::wait_read : stream_descriptor::wait_write,
       &Impl::login_step);
}

void PostgresSession::Impl::login_expired() {
  end_login(true);
}

void PostgresSession::Impl::end_login(bool expired) {
  end_exchange();
  release_descriptor();
  LoginEvidence evidence{.stage = stage_, .deadline_passed = expired};
  if (!expired && PQstatus(connecting_.get()) == CONNECTION_OK) {
    evidence.stage = LoginStage::ready;
    attach(SessionExchange{std::move(connecting_)});
  } else {
    const std::string message = PQerrorMessage(connecting_.get());
    evidence.sqlstate = sqlstate_in(message);
    evidence.text = scrub(one_line(without_advice(message)), {password_});
    connecting_.reset();
  }
  password_ = Secret{};
  const auto handler = std::exchange(on_login_, nullptr);
  const auto alive = shared_from_this();
  handler(evidence);
}

void PostgresSession::Impl::attach(SessionExchange exchange) {
  exchange_ = std::move(exchange);
  (void)watch(exchange_.socket());
}

SessionExchange PostgresSession::Impl::detach() {
  end_exchange();
  release_descriptor();
  return std::exchange(exchange_, SessionExchange{});
}

void PostgresSession::Impl::execute(const Statement& statement, std::chrono::nanoseconds limit,
                                    std::function<void(StatementEvidence)> handler) {
  on_answer_ = std::move(handler);
  start_deadline(limit, &Impl::answer_expired);
  exchange_.send(statement);
  if (exchange_.good() && descriptor_.is_open()) return wait_for_answer();
  boost::asio::post(loop_, [weak = weak_from_this(), number = exchange_number_] {
    const auto self = weak.lock();
    if (self && self->exchange_number_ == number) self->end_answer(false);
  });
}

void PostgresSession::Impl::wait_for_answer() {
  if (exchange_.wants_write()) wait(stream_descriptor::wait_write, &Impl::answer_step);
  wait(stream_descriptor::wait_read, &Impl::answer_step);
}

void PostgresSession::Impl::answer_step() {
  if (exchange_.advance()) return end_answer(false);
  descriptor_.cancel();
  wait_for_answer();
}

void PostgresSession::Impl::answer_expired() {
  end_answer(true);
}

void PostgresSession::Impl::end_answer(bool expired) {
  end_exchange();
  if (descriptor_.is_open()) descriptor_.cancel();
  StatementEvidence evidence = exchange_.take();
  evidence.deadline_passed = expired;
  const auto handler = std::exchange(on_answer_, nullptr);
  const auto alive = shared_from_this();
  handler(std::move(evidence));
}

PostgresSession::PostgresSession(boost::asio::io_context& loop) : impl_{std::make_shared<Impl>(loop)} {}

PostgresSession::~PostgresSession() {
  impl_->close();
}

void PostgresSession::log_in(const ConnectParameters& parameters, std::chrono::nanoseconds limit,
                             std::function<void(const LoginEvidence&)> handler) {
  impl_->log_in(parameters, limit, std::move(handler));
}

void PostgresSession::execute(const Statement& statement, std::chrono::nanoseconds limit,
                              std::function<void(StatementEvidence)> handler) {
  impl_->execute(statement, limit, std::move(handler));
}

SessionExchange PostgresSession::detach() {
  return impl_->detach();
}

void PostgresSession::attach(SessionExchange exchange) {
  impl_->attach(std::move(exchange));
}

}  // namespace pgfiredrill
