#include "drivers/login_walk.h"

#include <algorithm>
#include <utility>

namespace pgfiredrill {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

nanoseconds share_of(nanoseconds left, std::size_t addresses) {
  return std::max(nanoseconds{0}, left) / static_cast<nanoseconds::rep>(std::max<std::size_t>(addresses, 1));
}

LoginWalk::LoginWalk(boost::asio::io_context& loop, std::vector<ConnectParameters> targets)
    : loop_{loop}, targets_{std::move(targets)} {}

void LoginWalk::start(nanoseconds limit, std::function<void(LoginEnd)> handler) {
  deadline_ = steady_clock::now() + limit;
  handler_ = std::move(handler);
  try_next();
}

void LoginWalk::try_next() {
  const auto limit = share_of(deadline_ - steady_clock::now(), targets_.size() - next_);
  session_ = std::make_unique<PostgresSession>(loop_);
  session_->log_in(targets_[next_++], limit, [this](const LoginEvidence& evidence) { on_end(evidence); });
}

void LoginWalk::on_end(const LoginEvidence& evidence) {
  if (!evidence.ready() && next_ < targets_.size() && steady_clock::now() < deadline_) return try_next();
  LoginEnd end{.session = evidence.ready() ? std::move(session_) : nullptr, .evidence = evidence};
  const auto handler = std::move(handler_);
  handler(std::move(end));
}

}  // namespace pgfiredrill
