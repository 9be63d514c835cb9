#pragma once

/// The settings of a cluster that decide how long a failover takes and what it may lose, with where each was
/// read.
///
/// Never filled from a release's defaults: a value is what a deployed file or a live server said, else it is
/// absent.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pgfiredrill {

/// A value and who said so: "pg1:/etc/haproxy/haproxy.cfg", "GET /config of pg2".
template <typename T>
struct Sourced {
  std::optional<T> value;
  std::string source;
};

/// How a balancer's listener checks the servers behind it.
struct ListenerTimings {
  std::string listener;  ///< "master", "replicas", …
  std::string source;
  std::optional<std::chrono::milliseconds> inter;
  std::optional<std::chrono::milliseconds> fastinter;
  std::optional<int> fall;
  std::optional<int> rise;
  std::optional<std::chrono::milliseconds> check_timeout;
};

struct FailoverSettings {
  // Patroni's dynamic configuration (GET /config).
  Sourced<std::chrono::seconds> ttl;
  Sourced<std::chrono::seconds> loop_wait;
  Sourced<std::chrono::seconds> retry_timeout;
  Sourced<std::chrono::seconds> primary_start_timeout;
  Sourced<std::int64_t> maximum_lag_on_failover_bytes;
  Sourced<std::string> synchronous_mode;  ///< "off", "on" or "quorum"
  Sourced<bool> synchronous_mode_strict;
  Sourced<int> synchronous_node_count;
  Sourced<bool> failsafe_mode;
  Sourced<bool> paused;
  Sourced<bool> use_pg_rewind;
  Sourced<std::string> watchdog_mode;  ///< patroni.yml: "off", "automatic" or "required"

  // PgBouncer (SHOW CONFIG, else the file).
  Sourced<std::chrono::seconds> server_login_retry;
  Sourced<std::chrono::seconds> server_connect_timeout;
  Sourced<std::chrono::seconds> query_wait_timeout;
  Sourced<std::string> pool_mode;
  Sourced<std::int64_t> default_pool_size;  ///< servers for each pair of user and database, in each process

  // etcd.
  Sourced<std::chrono::milliseconds> etcd_heartbeat_interval;
  Sourced<std::chrono::milliseconds> etcd_election_timeout;

  // keepalived or vip-manager.
  Sourced<std::chrono::milliseconds> vip_interval;  ///< advert_int, or vip-manager's poll

  // PostgreSQL.
  Sourced<std::string> synchronous_commit;
  Sourced<std::chrono::seconds> archive_timeout;

  std::vector<ListenerTimings> listeners;

  /// Settings that differ between hosts that should agree, a sentence each.
  std::vector<std::string> disagreements;
};

}  // namespace pgfiredrill
