#pragma once

/// etcd.conf in the environment-file form that autobase lays (ETCD_NAME="…").

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"

namespace pgfiredrill {

struct EtcdConf {
  std::map<std::string, std::string> settings;  ///< names without ETCD_: "NAME", "LISTEN_CLIENT_URLS"
  std::string name;
  std::vector<std::string> advertised_client_urls;
  std::map<std::string, std::string> initial_cluster;  ///< name → peer URL
  std::optional<std::chrono::milliseconds> heartbeat_interval;
  std::optional<std::chrono::milliseconds> election_timeout;
  bool client_certificate_required = false;
};

/// Follows systemd's reading of an environment file: quotes, backslashes, lines continued by a backslash; the
/// last of several assignments counts. A quote must close on its line (systemd would go on, but no value of
/// etcd's has a line break). Fails `malformed` (line number, never the line) on unbalanced quotes or a line
/// that is no assignment.
[[nodiscard]] Result<EtcdConf> parse_etcd_conf(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
