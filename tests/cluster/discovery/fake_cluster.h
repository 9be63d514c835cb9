#pragma once

/// Three database hosts as autobase lays them, behind the seams: files, services and logins are what a test
/// says they are.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/log.h"
#include "cluster/discovery/discovery.h"
#include "tests/support/fake_host.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/simulated_clock.h"

namespace pgfiredrill::testing {

/// 10.77.0.11 to .13, called pg1 to pg3 in the inventory, members pgnode01 to pgnode03; pgnode01 leads.
class FakeCluster {
 public:
  FakeCluster();

  /// What lies on a host: path → text. Change it before `discover`.
  std::map<std::string, std::string>& files(const std::string& host) { return files_.at(host); }
  std::map<std::string, std::string>& units(const std::string& host) { return units_.at(host); }
  std::set<std::string>& addresses(const std::string& host) { return addresses_.at(host); }

  std::set<std::string> unreadable;              ///< "pg1:/etc/patroni/patroni.yml"
  std::set<std::string> ssh_down;                ///< inventory names
  std::map<std::string, std::string> rest_body;  ///< address:path → body instead of the usual one
  std::set<std::string> http_down;               ///< "10.77.0.11:8008"
  std::set<std::string> login_fails;  ///< "10.77.0.11:5000", or an inventory name for its own socket
  std::map<std::string, std::string> login_retry;  ///< inventory name → server_login_retry of its pooler
  std::string pgbackrest_info;                     ///< what `pgbackrest info` prints
  ClusterSeed seed;

  [[nodiscard]] ClusterDescription discover(const DiscoveryOptions& options = {});

  /// Every command that was run on any host, one text each.
  [[nodiscard]] std::vector<std::string> commands() const { return commands_; }

  static constexpr const char* kSuperuserPassword = "superuser-secret";

 private:
  class Sql;

  Result<RemoteResult> run(const std::string& host, const RemoteCommand& command);
  Result<HttpResponse> answer(const HttpAddress& address, const HttpRequest& request);
  std::string facts_of(const std::string& host) const;
  std::string haproxy_statistics() const;

  std::map<std::string, std::map<std::string, std::string>> files_;
  std::map<std::string, std::map<std::string, std::string>> units_;
  std::map<std::string, std::set<std::string>> addresses_;
  std::vector<std::string> commands_;
  std::mutex mutex_;
};

/// Finds what could not be looked at; null where it was.
[[nodiscard]] const NotReached* find_not_reached(const ClusterDescription& cluster, const std::string& host,
                                                 const std::string& topic);

}  // namespace pgfiredrill::testing
