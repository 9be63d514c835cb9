#pragma once

/// haproxy.cfg as it is deployed: listeners, what stands behind them and how it is checked.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"

namespace pgfiredrill {

struct HaproxyServer {
  std::string name;
  Endpoint address;
  bool check = false;
  bool disabled = false;  ///< starts in maintenance, until somebody enables it
  std::optional<int> check_port;
  bool check_tls = false;       ///< check-ssl, or a check over the server's own TLS
  bool check_verifies = false;  ///< with check_tls: the certificate is verified (HAProxy's default)
  std::optional<std::chrono::milliseconds> inter;
  std::optional<std::chrono::milliseconds> fastinter;
  std::optional<std::chrono::milliseconds> downinter;
  std::optional<int> fall;
  std::optional<int> rise;
  bool shutdown_sessions = false;  ///< on-marked-down shutdown-sessions
};

/// A `listen` section, or a `frontend` with its default backend's servers, checks and server timeouts. Where
/// no default backend is named, the first `use_backend` without a condition is it.
struct HaproxyListener {
  std::string name;
  std::vector<Endpoint> binds;  ///< "0.0.0.0" and "::" as written; "*" where no address is; no Unix sockets
  std::string mode;             ///< "tcp" or "http"; defaults applied
  /// Of `option httpchk` ("OPTIONS") or `http-check send`; empty without an HTTP check.
  std::string check_method;
  std::string check_path;  ///< "/primary", "/replica?lag=100MB"
  std::string balance;
  std::optional<int> maxconn;
  bool stats_enabled = false;
  std::string stats_uri;               ///< "/haproxy?stats", HAProxy's own, where enabled and not set
  std::vector<HaproxyServer> servers;  ///< `default-server` of defaults and section applied
  std::optional<std::chrono::milliseconds> timeout_connect, timeout_client, timeout_server, timeout_check,
      timeout_queue;
};

struct HaproxyCfg {
  std::optional<int> maxconn;              ///< global
  std::string admin_socket;                ///< path of the first Unix `stats socket` in global; empty: none
  std::vector<HaproxyListener> listeners;  ///< without those that are `disabled`
  /// What could not be followed (an environment variable, a conditional block), a sentence each.
  std::vector<std::string> remarks;
};

/// Reads the subset above and passes over the rest. Fails `malformed` (line number and what is wrong, never
/// the line) on a section that cannot be read: unbalanced quotes, a bind without a port, a time or number
/// that is none. Times take HAProxy's units (us ms s m h d; a bare number is milliseconds).
[[nodiscard]] Result<HaproxyCfg> parse_haproxy_cfg(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
