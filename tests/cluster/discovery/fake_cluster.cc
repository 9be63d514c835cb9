#include "tests/cluster/discovery/fake_cluster.h"

#include <algorithm>

#include <fmt/core.h>

namespace pgfiredrill::testing {
namespace {

const std::vector<std::string> kHosts{"pg1", "pg2", "pg3"};

std::string address_of(const std::string& host) {
  return "10.77.0.1" + host.substr(2);
}
std::string member_of(const std::string& host) {
  return "pgnode0" + host.substr(2);
}
std::string host_at(const std::string& address) {
  return "pg" + address.substr(address.size() - 1);
}

std::string patroni_yml(const std::string& host) {
  return fmt::format(R"(scope: postgres-cluster
name: {member}
namespace: /service
restapi:
  listen: 0.0.0.0:8008
  connect_address: {address}:8008
  certfile: /etc/tls/server.crt
  keyfile: /etc/tls/server.key
  cafile: /etc/tls/ca.crt
  authentication:
    username: patroni
    password: rest-secret
etcd3:
  hosts: 10.77.0.11:2379,10.77.0.12:2379,10.77.0.13:2379
  protocol: https
  cacert: /etc/patroni/tls/etcd/ca.crt
  cert: /etc/patroni/tls/etcd/server.crt
  key: /etc/patroni/tls/etcd/server.key
bootstrap:
  dcs:
    ttl: 99
postgresql:
  listen: 0.0.0.0:5432
  connect_address: {address}:5432
  data_dir: /var/lib/postgresql/17/main
  authentication:
    superuser:
      username: postgres
      password: {password}
      sslmode: require
    replication:
      username: replicator
      password: replication-secret
  parameters:
    unix_socket_directories: /var/run/postgresql
watchdog:
  mode: automatic
)",
                     fmt::arg("member", member_of(host)), fmt::arg("address", address_of(host)),
                     fmt::arg("password", FakeCluster::kSuperuserPassword));
}

std::string haproxy_listener(const std::string& name, const std::string& bind, const std::string& check,
                             int rise) {
  std::string text = fmt::format(
      "listen {}\n    bind {}\n    option httpchk OPTIONS {}\n    http-check expect status 200\n"
      "    default-server inter 3s fastinter 1s fall 3 rise {} on-marked-down shutdown-sessions check-ssl "
      "verify none\n",
      name, bind, check, rise);
  for (const std::string& host : kHosts) {
    text += fmt::format("    server {} {}:6432 check port 8008\n", member_of(host), address_of(host));
  }
  return text + "\n";
}

std::string haproxy_cfg(const std::string& own_address, const std::string& bind_address) {
  return "global\n    maxconn 8000\n\ndefaults\n    mode tcp\n    timeout check 15s\n\nlisten stats\n    "
         "mode http\n"
         "    bind " +
         own_address + ":7000\n    stats enable\n    stats uri /\n\n" +
         haproxy_listener("master", bind_address + ":5000", "/primary", 4) +
         haproxy_listener("replicas", bind_address + ":5001", "/replica?lag=100MB", 2) +
         haproxy_listener("replicas_sync", bind_address + ":5002", "/sync", 2);
}

constexpr const char* kPgbouncerIni = R"([databases]
* = host=/var/run/postgresql port=5432

[pgbouncer]
listen_addr = 0.0.0.0
listen_port = 6432
unix_socket_dir = /var/run/pgbouncer
)";

constexpr const char* kPgbackrestConf = R"([global]
repo1-type=s3
repo1-s3-bucket=backups
repo1-s3-endpoint=s3.example
repo1-s3-key-secret=repository-secret
repo1-path=/one
[postgres-cluster]
pg1-path=/var/lib/postgresql/17/main
)";

std::string etcd_conf(const std::string& host) {
  return fmt::format(
      "ETCD_NAME=\"{}\"\nETCD_ADVERTISE_CLIENT_URLS=\"https://{}:2379\"\nETCD_HEARTBEAT_INTERVAL=\"1000\"\n"
      "ETCD_ELECTION_TIMEOUT=\"5000\"\nETCD_CLIENT_CERT_AUTH=\"true\"\n",
      member_of(host), address_of(host));
}

constexpr const char* kClusterBody = R"({"members": [
 {"name": "pgnode01", "role": "leader", "state": "running", "api_url": "https://10.77.0.11:8008/patroni", "host": "10.77.0.11", "port": 5432, "timeline": 3},
 {"name": "pgnode02", "role": "replica", "state": "streaming", "api_url": "https://10.77.0.12:8008/patroni", "host": "10.77.0.12", "port": 5432, "timeline": 3, "lag": 0},
 {"name": "pgnode03", "role": "replica", "state": "streaming", "api_url": "https://10.77.0.13:8008/patroni", "host": "10.77.0.13", "port": 5432, "timeline": 3, "lag": 16384}
], "scope": "postgres-cluster"})";

constexpr const char* kConfigBody =
    R"({"ttl": 30, "loop_wait": 10, "retry_timeout": 10, "maximum_lag_on_failover": 1048576,
 "master_start_timeout": 300, "synchronous_mode": false, "failsafe_mode": true, "postgresql": {"use_pg_rewind": true}})";

constexpr const char* kHistoryBody =
    R"([[1, 100663456, "no recovery target specified", "2026-02-01T10:00:00.000000+00:00", "pgnode02"],
 [2, 117440672, "no recovery target specified", "2026-02-02T10:00:00.000000+00:00", "pgnode01"]])";

std::string node_body(const std::string& host) {
  return fmt::format(
      R"({{"state": "running", "role": "{}", "server_version": 170006, "database_system_identifier": "7412345678901234567",
 "timeline": 3, "patroni": {{"version": "4.0.7", "scope": "postgres-cluster", "name": "{}"}}}})",
      host == "pg1" ? "primary" : "replica", member_of(host));
}

constexpr const char* kInfo = R"([{"name": "postgres-cluster", "status": {"code": 0, "message": "ok"},
 "db": [{"id": 1, "repo-key": 1, "system-id": 7412345678901234567, "version": "17"}],
 "repo": [{"key": 1, "cipher": "none", "status": {"code": 0, "message": "ok"}}],
 "archive": [{"database": {"id": 1, "repo-key": 1}, "id": "17-1", "min": "000000010000000000000001", "max": "000000030000000000000009"}],
 "backup": [{"label": "20260301-030000F", "type": "full", "database": {"id": 1, "repo-key": 1},
   "timestamp": {"start": 1772334000, "stop": 1772334060}, "info": {"size": 1000, "delta": 1000, "repository": {"size": 100, "delta": 100}}}]}])";

std::string frame(const std::string& kind, const std::string& name, const std::string& content) {
  return fmt::format("@ {} {} {}\n{}\n", kind, content.size(), name, content);
}

class SilentLog final : public Log {
 public:
  void write(LogLevel, const std::string&) override {}
};

/// A socket that is nowhere; its folder says which host's it is.
class NamedSocket final : public ForwardedSocket {
 public:
  explicit NamedSocket(std::string directory) : directory_{std::move(directory)} {}
  [[nodiscard]] const std::string& directory() const noexcept override { return directory_; }

 private:
  std::string directory_;
};

class SocketHost final : public Host {
 public:
  [[nodiscard]] Result<void> log_in_anew() override { return {}; }

  SocketHost(std::string name, FakeHost::Answer answer) : fake_{std::move(name), std::move(answer)} {}
  [[nodiscard]] const std::string& name() const noexcept override { return fake_.name(); }
  [[nodiscard]] Result<RemoteResult> run(const RemoteCommand& command) override { return fake_.run(command); }
  [[nodiscard]] Result<std::unique_ptr<ForwardedSocket>> forward_postgres_socket(const std::string&,
                                                                                 int) override {
    return std::unique_ptr<ForwardedSocket>{std::make_unique<NamedSocket>("/forwarded/" + name())};
  }

 private:
  FakeHost fake_;
};

}  // namespace

/// Answers as the member behind an address would; balancers lead to the leader or to the first replica.
class FakeCluster::Sql final : public SqlAccess {
 public:
  explicit Sql(const FakeCluster& cluster) : cluster_{cluster} {}

  Result<LoginAnswer> login(const ConnectParameters& parameters, const std::string& where) override {
    const std::string target = target_of(parameters);
    if (cluster_.login_fails.contains(target) || parameters.password != Secret{kSuperuserPassword}) {
      return Failure{.kind = FailureKind::denied, .what = "log in", .where = where, .came_back = "no"};
    }
    const std::string host = host_behind(parameters);
    return LoginAnswer{.server = {.in_recovery = host != "pg1",
                                  .postmaster_start = "started-" + host,
                                  .server_version = 170006},
                       .took = std::chrono::milliseconds{9}};
  }

  Result<std::map<std::string, std::string>> settings(const ConnectParameters&, const std::string&,
                                                      const std::vector<std::string>&) override {
    return std::map<std::string, std::string>{{"synchronous_commit", "on"}, {"archive_timeout", "1800"}};
  }

  Result<PoolerAnswer> pooler(const ConnectParameters& parameters, const std::string&) override {
    const auto retry = cluster_.login_retry.find(host_behind(parameters));
    return PoolerAnswer{
        .version = "PgBouncer 1.24.1",
        .config = {{"server_login_retry", retry == cluster_.login_retry.end() ? "15" : retry->second},
                   {"pool_mode", "session"}}};
  }

 private:
  static std::string target_of(const ConnectParameters& parameters) {
    return parameters.host.starts_with("/forwarded/")
               ? parameters.host.substr(11)
               : parameters.host + ":" + std::to_string(parameters.port);
  }

  static std::string host_behind(const ConnectParameters& parameters) {
    if (parameters.host.starts_with("/forwarded/")) return parameters.host.substr(11);
    if (parameters.port == 5000) return "pg1";
    if (parameters.port == 5001) return "pg2";
    return host_at(parameters.host);
  }

  const FakeCluster& cluster_;
};

FakeCluster::FakeCluster() : pgbackrest_info{kInfo} {
  seed.source = "inventory";
  seed.settings.patroni_tls = true;
  for (const std::string& host : kHosts) {
    HostDescription description{.name = host, .address = address_of(host), .hostname = member_of(host)};
    description.roles = {HostRole::postgres, HostRole::balancer, HostRole::consensus};
    description.inventory_master = host == "pg1";
    seed.hosts.push_back(description);
    files_[host] = {{"/etc/patroni/patroni.yml", patroni_yml(host)},
                    {"/etc/pgbouncer/pgbouncer.ini", kPgbouncerIni},
                    {"/etc/haproxy/haproxy.cfg", haproxy_cfg(address_of(host), address_of(host))},
                    {"/etc/pgbackrest/pgbackrest.conf", kPgbackrestConf},
                    {"/etc/etcd/etcd.conf", etcd_conf(host)},
                    {"/etc/tls/ca.crt", "-----BEGIN CERTIFICATE-----\n"},
                    {"/etc/patroni/tls/etcd/ca.crt", "-----BEGIN CERTIFICATE-----\n"}};
    units_[host] = {{"patroni.service", "active"}};
    addresses_[host] = {"127.0.0.1", address_of(host)};
  }
}

std::string FakeCluster::facts_of(const std::string& host) const {
  std::string output;
  for (const auto& [path, text] : files_.at(host)) {
    if (path.starts_with("/etc/tls") || path.starts_with("/etc/patroni/tls")) continue;  // read by name only
    output +=
        unreadable.contains(host + ":" + path) ? frame("unreadable", path, "") : frame("file", path, text);
  }
  std::string list;
  for (const std::string& address : addresses_.at(host)) list += address + "\n";
  output += frame("addresses", "-", list);
  std::string states;
  for (const auto& [unit, state] : units_.at(host)) states += unit + " " + state + "\n";
  output += frame("units", "-", states);
  output += frame("version", "haproxy", "HAProxy version 3.0.11-1+deb13u1 2025/05/20 - https://haproxy.org/");
  return output + frame("end", "-", "");
}

Result<RemoteResult> FakeCluster::run(const std::string& host, const RemoteCommand& command) {
  {
    const std::lock_guard lock{mutex_};
    std::string line = host + ":";
    for (const std::string& word : command.argv) line += " " + word;
    commands_.push_back(line);
  }
  if (ssh_down.contains(host)) {
    return Failure{.kind = FailureKind::unreachable,
                   .what = "log in by ssh",
                   .where = host,
                   .came_back = "Connection refused"};
  }
  const auto& argv = command.argv;
  if (argv.front() != "sh") return RemoteResult{.out = pgbackrest_info};
  if (argv.at(3) == "facts") return RemoteResult{.out = facts_of(host)};
  std::string output;
  for (std::size_t i = 4; i < argv.size(); ++i) {
    const auto found = files_.at(host).find(argv[i]);
    if (found != files_.at(host).end()) output += frame("file", argv[i], found->second);
  }
  return RemoteResult{.out = output + frame("end", "-", "")};
}

std::string FakeCluster::haproxy_statistics() const {
  std::string csv = "# pxname,svname,status,check_status,check_code,\n";
  for (const std::string& host : kHosts) {
    csv += fmt::format("master,{},{},L7STS,{},\n", member_of(host), host == "pg1" ? "UP" : "DOWN",
                       host == "pg1" ? 200 : 503);
    csv += fmt::format("replicas,{},{},L7OK,200,\n", member_of(host), host == "pg1" ? "DOWN" : "UP");
    csv += fmt::format("replicas_sync,{},DOWN,L7STS,503,\n", member_of(host));
  }
  return csv;
}

Result<HttpResponse> FakeCluster::answer(const HttpAddress& address, const HttpRequest& request) {
  const std::string target = address.host + ":" + std::to_string(address.port);
  if (http_down.contains(target)) {
    return Failure{.kind = FailureKind::unreachable,
                   .what = "GET " + request.path,
                   .where = address.url(),
                   .came_back = "refused"};
  }
  const auto special = rest_body.find(target + request.path);
  if (special != rest_body.end()) return HttpResponse{.status = 200, .body = special->second};
  const std::string host = host_at(address.host);
  if (request.path == "/cluster") return HttpResponse{.status = 200, .body = kClusterBody};
  if (request.path == "/config") return HttpResponse{.status = 200, .body = kConfigBody};
  if (request.path == "/history") return HttpResponse{.status = 200, .body = kHistoryBody};
  if (request.path == "/patroni") return HttpResponse{.status = 200, .body = node_body(host)};
  if (request.path == "/;csv") return HttpResponse{.status = 200, .body = haproxy_statistics()};
  if (request.path == "/health") return HttpResponse{.status = 200, .body = R"({"health":"true"})"};
  if (request.path == "/v3/maintenance/status") {
    return HttpResponse{
        .status = 200,
        .body = fmt::format(
            R"({{"header":{{"member_id":"{}"}},"version":"3.5.16","dbSize":"20480","leader":"1","raftTerm":"2"}})",
            host.substr(2))};
  }
  return HttpResponse{.status = 404, .body = "not found"};
}

ClusterDescription FakeCluster::discover(const DiscoveryOptions& options) {
  FakeHttpClient http{
      [this](const HttpAddress& address, const HttpRequest& request) { return answer(address, request); }};
  Sql sql{*this};
  SimulatedClock clock;
  SilentLog log;
  const DiscoverySeams seams{
      .http = http, .sql = sql, .clock = clock, .log = log, .make_host = [this](const HostDescription& host) {
        return std::unique_ptr<Host>{std::make_unique<SocketHost>(
            host.name,
            [this, name = host.name](const RemoteCommand& command) { return run(name, command); })};
      }};
  return pgfiredrill::discover(seed, seams, options);
}

const NotReached* find_not_reached(const ClusterDescription& cluster, const std::string& host,
                                   const std::string& topic) {
  const auto found =
      std::find_if(cluster.not_reached.begin(), cluster.not_reached.end(),
                   [&](const NotReached& missing) { return missing.host == host && missing.topic == topic; });
  return found == cluster.not_reached.end() ? nullptr : &*found;
}

}  // namespace pgfiredrill::testing
