#pragma once

/// Logs in to the first of a path's addresses that lets us: as libpq walks a host list, but with a deadline
/// that holds (libpq's own does not while connecting without blocking), and each address with its share of
/// it. On a connector's loop.

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "cluster/postgres_session.h"

namespace pgfiredrill {

/// A session, or the evidence of the last address that was tried.
struct LoginEnd {
  std::unique_ptr<PostgresSession> session;  ///< null: refused
  LoginEvidence evidence;
};

class LoginWalk {
 public:
  /// `targets` are tried in order; not empty.
  LoginWalk(boost::asio::io_context& loop, std::vector<ConnectParameters> targets);
  LoginWalk(const LoginWalk&) = delete;
  LoginWalk& operator=(const LoginWalk&) = delete;

  /// Once. `handler` may destroy the walk; it is not called after its destruction.
  void start(std::chrono::nanoseconds limit, std::function<void(LoginEnd)> handler);

 private:
  void try_next();
  void on_end(const LoginEvidence& evidence);

  boost::asio::io_context& loop_;
  std::vector<ConnectParameters> targets_;
  std::size_t next_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  std::function<void(LoginEnd)> handler_;
  std::unique_ptr<PostgresSession> session_;
};

/// The part of `left` that the next of `addresses` gets: an even share, so that a silent one leaves time for
/// the others.
[[nodiscard]] std::chrono::nanoseconds share_of(std::chrono::nanoseconds left, std::size_t addresses);

}  // namespace pgfiredrill
