#pragma once

/// etcd through its JSON gateway (v3): members, health, and keys. Blocking; worker threads only. The watch
/// that observers need is not here.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/http.h"

namespace pgfiredrill {

struct EtcdMember {
  std::string id;  ///< decimal, as the gateway gives it
  std::string name;
  std::vector<std::string> client_urls;
  std::vector<std::string> peer_urls;
  bool learner = false;
};

/// Where clients ask.
inline constexpr int kEtcdPort = 2379;

struct EtcdStatus {
  std::string version;
  std::string member_id;  ///< of the member that answered
  std::string leader_id;  ///< "0" or empty: it knows no leader
  std::int64_t database_bytes = 0;
  std::int64_t raft_term = 0;
  std::vector<std::string> errors;  ///< alarms: NOSPACE, CORRUPT, no leader
};

struct EtcdKeyValue {
  std::string key;
  std::string value;
  std::int64_t mod_revision = 0;
  std::int64_t lease = 0;
};

class EtcdClient {
 public:
  /// `http` must outlive this. `where` names the member in messages.
  EtcdClient(HttpClient& http, HttpAddress address, TlsIdentity identity, std::string where);

  /// GET /health: true only where it says so itself.
  [[nodiscard]] Result<bool> healthy() const;
  [[nodiscard]] Result<EtcdStatus> status() const;
  [[nodiscard]] Result<std::vector<EtcdMember>> members() const;
  /// Every key that begins with `prefix`, at most 1,000.
  [[nodiscard]] Result<std::vector<EtcdKeyValue>> range(const std::string& prefix) const;

 private:
  [[nodiscard]] Result<std::string> send(HttpRequest request) const;

  HttpClient& http_;
  HttpAddress address_;
  TlsIdentity identity_;
  std::string where_;
};

[[nodiscard]] Result<EtcdStatus> parse_etcd_status(const std::string& body, const std::string& where);
[[nodiscard]] Result<std::vector<EtcdMember>> parse_etcd_members(const std::string& body,
                                                                 const std::string& where);
[[nodiscard]] Result<std::vector<EtcdKeyValue>> parse_etcd_range(const std::string& body,
                                                                 const std::string& where);

}  // namespace pgfiredrill
