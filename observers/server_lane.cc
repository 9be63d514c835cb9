#include "observers/server_lane.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "cluster/server_question.h"

namespace pgfiredrill {
namespace {

using std::chrono::seconds;

constexpr nanoseconds kQuestionLimit = seconds{1};
constexpr nanoseconds kLoginLimit = seconds{2};
constexpr nanoseconds kBetweenAttempts = seconds{1};

std::string why_not_logged_in(const LoginEvidence& evidence) {
  if (evidence.deadline_passed) return "the login did not end within 2 s";
  return evidence.text.empty() ? "the login failed" : evidence.text;
}

std::string why_not_answered(const StatementEvidence& evidence) {
  if (evidence.deadline_passed) return "no answer within 1 s";
  if (evidence.error) return evidence.error->sqlstate + " " + evidence.error->text;
  return evidence.transport_text.empty() ? "an answer of another shape" : evidence.transport_text;
}

}  // namespace

ServerLane::ServerLane(boost::asio::io_context& loop, ObservedServer server, const OpenRoute& open_route,
                       Recorder& recorder, Clock& clock)
    : loop_{loop},
      server_{std::move(server)},
      open_route_{open_route},
      clock_{clock},
      journal_{server_.member, server_.host, recorder, clock},
      way_{open_route && !server_.host.empty()} {}

ServerLane::~ServerLane() {
  if (opener_.joinable()) opener_.join();
}

void ServerLane::tick() {
  if (state_ == State::idle) ask();
  if (state_ == State::waiting && clock_.monotonic() >= attempt_due_) attempt();
}

void ServerLane::attempt() {
  attempted_at_ = clock_.monotonic();
  if (way_.now() == Way::direct) return log_in(server_.direct);
  open_route();
}

/// Anew for each attempt: a forwarded socket may have gone with ssh's shared connection. Its removal asks ssh
/// too, and so is left to the other thread.
void ServerLane::open_route() {
  state_ = State::opening_route;
  if (opener_.joinable()) opener_.join();  // it has posted its result and ends
  auto old = std::make_shared<std::optional<SuperuserRoute>>(std::exchange(route_, std::nullopt));
  opener_ = std::thread{[this, old = std::move(old)]() mutable {
    old.reset();
    const auto opened = std::make_shared<Result<SuperuserRoute>>(open_route_(server_.member));
    boost::asio::post(loop_, [this, opened] { route_opened(std::move(*opened)); });
  }};
}

void ServerLane::route_opened(Result<SuperuserRoute> opened) {
  if (!opened) {
    attempt_failed(opened.error().message());
    way_.route_failed();
    return;
  }
  route_.emplace(std::move(*opened));
  ConnectParameters parameters = route_->parameters;
  parameters.database = server_.direct.database;
  parameters.application_name = server_.direct.application_name;
  log_in(parameters);
}

void ServerLane::log_in(const ConnectParameters& parameters) {
  state_ = State::logging_in;
  session_.emplace(loop_);
  session_->log_in(parameters, kLoginLimit, [this](const LoginEvidence& evidence) { logged_in(evidence); });
}

void ServerLane::logged_in(const LoginEvidence& evidence) {
  if (!evidence.ready()) {
    attempt_failed(why_not_logged_in(evidence));
    way_.login_failed(evidence);
    return;
  }
  way_.succeeded();
  state_ = State::idle;
}

void ServerLane::attempt_failed(const std::string& reason) {
  journal_.failed(way_.now(), attempted_at_, reason);
  lose_session();
  attempt_due_ = attempted_at_ + kBetweenAttempts;
}

void ServerLane::ask() {
  state_ = State::asking;
  asked_at_ = clock_.monotonic();
  session_->execute(server_question(), kQuestionLimit,
                    [this](const StatementEvidence& evidence) { answered(evidence); });
}

void ServerLane::answered(const StatementEvidence& evidence) {
  if (const auto report = parse_self_report(evidence)) {
    journal_.answered(way_.now(), asked_at_, *report);
    state_ = State::idle;
    return;
  }
  journal_.failed(way_.now(), asked_at_, why_not_answered(evidence));
  if (evidence.ended_cleanly) {
    state_ = State::idle;
  } else {
    lose_session();
  }
}

/// The next attempt is due at once.
void ServerLane::lose_session() {
  session_.reset();
  state_ = State::waiting;
  attempt_due_ = nanoseconds{0};
}

}  // namespace pgfiredrill
