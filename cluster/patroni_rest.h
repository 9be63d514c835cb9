#pragma once

/// Patroni's REST interface: what a cluster is now by Patroni's own word.
///
/// One request, one connection (its server speaks HTTP/1.0 and costs about 5 ms of CPU a GET, behind a listen
/// queue of 5): ask rarely. Blocking; worker threads only. Thread-safe as far as the HttpClient is.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/http.h"

namespace pgfiredrill {

/// autobase's own port for it, where an address does not name one.
inline constexpr int kPatroniPort = 8008;

struct PatroniMember {
  std::string name;
  std::string role;
  std::string state;
  std::string api_url;
  std::string host;
  int port = 0;
  std::optional<std::int64_t> timeline;
  std::optional<std::int64_t> lag_bytes;  ///< absent for the leader and for "unknown"
  bool pending_restart = false;
  std::map<std::string, std::string> tags;  ///< values as text
};

struct PatroniCluster {
  std::string scope;  ///< empty where the release does not say it
  std::vector<PatroniMember> members;
  bool paused = false;
  bool switchover_scheduled = false;
  std::string switchover_at;  ///< when it is due, as Patroni writes it; empty where none is scheduled
};

/// One node about itself (`GET /patroni`), whatever its HTTP status.
struct PatroniNode {
  std::string name;
  std::string scope;
  std::string state;
  std::string role;
  std::string patroni_version;
  int server_version = 0;  ///< 170006
  std::string system_identifier;
  std::optional<std::int64_t> timeline;
  std::string postmaster_start_time;
  bool pending_restart = false;
  bool paused = false;
  std::optional<std::int64_t> dcs_last_seen;  ///< seconds since 1970
};

/// The dynamic configuration (`GET /config`); what it does not set is absent, never a default.
struct PatroniConfig {
  std::optional<std::chrono::seconds> ttl, loop_wait, retry_timeout;
  std::optional<std::chrono::seconds>
      primary_start_timeout;  ///< also under its old name master_start_timeout
  std::optional<std::int64_t> maximum_lag_on_failover_bytes;
  std::optional<std::string> synchronous_mode;  ///< "off", "on", "quorum"
  std::optional<bool> synchronous_mode_strict;
  std::optional<int> synchronous_node_count;
  std::optional<bool> failsafe_mode, paused, use_pg_rewind, use_slots;
  bool standby_cluster = false;
  std::map<std::string, std::string> parameters;  ///< postgresql.parameters, values as text
  std::string raw;                                ///< the document as it came, for compare-and-set
};

/// One line of `/history`: a timeline that ended.
struct PatroniHistoryEntry {
  std::int64_t timeline = 0;
  std::uint64_t switch_lsn = 0;
  std::string reason;
  std::string timestamp;   ///< RFC 3339 as Patroni wrote it; empty in old entries
  std::string new_leader;  ///< empty in old entries
};

class PatroniRest {
 public:
  /// `http` must outlive this. `where` names the node in messages: "pg1 (https://10.0.0.1:8008)".
  PatroniRest(HttpClient& http, HttpAddress address, TlsIdentity identity, std::string where);

  [[nodiscard]] Result<PatroniCluster> cluster() const;
  [[nodiscard]] Result<PatroniNode> node() const;
  [[nodiscard]] Result<PatroniConfig> config() const;
  [[nodiscard]] Result<std::vector<PatroniHistoryEntry>> history() const;

 private:
  [[nodiscard]] Result<std::string> get(const std::string& path, bool any_status) const;

  HttpClient& http_;
  HttpAddress address_;
  TlsIdentity identity_;
  std::string where_;
};

// The parsers alone, for recorded answers. All fail `malformed` on HTML, half an answer, JSON of another
// shape.
[[nodiscard]] Result<PatroniCluster> parse_patroni_cluster(const std::string& body, const std::string& where);
[[nodiscard]] Result<PatroniNode> parse_patroni_node(const std::string& body, const std::string& where);
[[nodiscard]] Result<PatroniConfig> parse_patroni_config(const std::string& body, const std::string& where);
[[nodiscard]] Result<std::vector<PatroniHistoryEntry>> parse_patroni_history(const std::string& body,
                                                                             const std::string& where);

/// 170006 → "17.6", 90624 → "9.6.24"; 0 → "".
[[nodiscard]] std::string postgres_version_text(int server_version);

}  // namespace pgfiredrill
