#pragma once

/// A throw-away PostgreSQL with the traffic's database in it, and HAProxy and PgBouncer before it: what
/// bench/support/scratch_postgres.py brings up. Gone with the object. Blocking.

#include <memory>
#include <string>

#include "base/failure.h"
#include "cluster/connect_parameters.h"
#include "drivers/traffic.h"

namespace pgfiredrill::bench {

class ScratchCluster {
 public:
  /// From the checkout's folder. Fails where a program is missing or does not start.
  [[nodiscard]] static Result<std::unique_ptr<ScratchCluster>> bring_up(bool with_front);
  ~ScratchCluster();
  ScratchCluster(const ScratchCluster&) = delete;
  ScratchCluster& operator=(const ScratchCluster&) = delete;

  /// By the private Unix socket.
  [[nodiscard]] ConnectParameters superuser() const;
  [[nodiscard]] const TrafficAccess& access() const { return access_; }
  /// On 127.0.0.1, with TLS.
  [[nodiscard]] int postgres_port() const { return postgres_port_; }
  [[nodiscard]] int balancer_port() const { return balancer_port_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  ScratchCluster() = default;
  [[nodiscard]] Result<void> start_postgres();
  [[nodiscard]] Result<void> start_front();

  std::string folder_;
  TrafficAccess access_;
  int postgres_port_ = 0;
  int balancer_port_ = 0;
};

}  // namespace pgfiredrill::bench
