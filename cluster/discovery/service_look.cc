#include "cluster/discovery/service_look.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include "cluster/discovery/task_group.h"
#include "cluster/etcd_client.h"
#include "cluster/pgbackrest_info.h"

namespace pgfiredrill {
namespace {

constexpr std::chrono::milliseconds kPgbackrestDeadline{20'000};

const std::vector<std::string> kServerSettings{"synchronous_commit", "archive_timeout", "archive_mode",
                                               "server_version"};

/// `where` of a service in messages: "pg1 (https://10.0.0.1:8008)".
std::string at(const std::string& host, const HttpAddress& address) {
  return host + " (" + address.url() + ")";
}

/// Asks all services of a cluster; each task adds what it learnt under one mutex.
class Interviewer {
 public:
  Interviewer(const std::vector<HostLook>& looks, const InventorySettings& settings,
              const DiscoverySeams& seams, const DiscoveryOptions& options)
      : looks_{looks}, settings_{settings}, seams_{seams}, options_{options}, access_{access_of(looks)} {}

  ServiceLook run() {
    TaskGroup tasks;
    tasks.start([this] { ask_repositories(); });  // the slowest one first
    for (const HostLook& look : looks_) {
      if (look.has(HostRole::postgres)) tasks.start([this, &look] { ask_node(look); });
      if (look.haproxy) tasks.start([this, &look] { ask_balancer(look); });
      if (look.has(HostRole::consensus) && look.etcd) tasks.start([this, &look] { ask_etcd(look); });
      for (const PoolerFile& pooler : look.poolers)
        tasks.start([this, &look, &pooler] { ask_pooler(look, pooler); });
      if (look.patroni) tasks.start([this, &look] { ask_server(look); });
    }
    tasks.wait();
    choose_view();
    // Answers came in the order of chance; the same cluster must read the same each time.
    std::sort(found_.poolers.begin(), found_.poolers.end(), [](const PoolerLook& a, const PoolerLook& b) {
      return std::tie(a.host, a.path) < std::tie(b.host, b.path);
    });
    return std::move(found_);
  }

 private:
  /// The cluster as one node sees it.
  struct View {
    PatroniCluster cluster;
    Result<PatroniConfig> config = Failure{};
    Result<std::vector<PatroniHistoryEntry>> history = Failure{};
  };

  template <typename Add>
  void learn(const Add& add) {
    const std::lock_guard lock{mutex_};
    add(found_);
  }

  void trouble(const std::string& host, const std::string& topic, const Failure& failure) {
    learn([&](ServiceLook& found) { found.not_reached.push_back({host, topic, failure}); });
  }

  TlsIdentity rest_identity(const HostLook& look) const {
    if (!options_.patroni_ca_pem.empty()) return {.ca_pem = options_.patroni_ca_pem};
    return {.ca_pem = look.patroni ? look.identity_files.file(look.patroni->rest_ca_file) : std::string{}};
  }

  PatroniRest rest(const HostLook& look) const {
    const HttpAddress address = rest_address(look, settings_);
    return {seams_.http, address, rest_identity(look), at(look.name(), address)};
  }

  /// Each node is asked for the whole cluster too: one that hangs must not delay the answer of another, and
  /// views that differ are worth knowing.
  void ask_node(const HostLook& look) {
    const PatroniRest patroni = rest(look);
    const auto node = patroni.node();
    if (!node) return trouble(look.name(), "patroni", node.error());
    learn([&](ServiceLook& found) { found.nodes[look.name()] = *node; });
    const auto cluster = patroni.cluster();
    if (!cluster) return trouble(look.name(), "patroni cluster", cluster.error());
    View view{.cluster = *cluster, .config = patroni.config(), .history = patroni.history()};
    learn([&](ServiceLook& found) {
      found.leaders[look.name()] = leader_of(view.cluster);
      views_.emplace(look.name(), std::move(view));
    });
  }

  static std::string leader_of(const PatroniCluster& cluster) {
    for (const PatroniMember& member : cluster.members) {
      if (is_leader_role(member.role)) return member.name;
    }
    return {};
  }

  /// The first host that answered, in the inventory's order, speaks for the cluster. On the calling thread,
  /// after all.
  void choose_view() {
    for (const HostLook& look : looks_) {
      const auto view = views_.find(look.name());
      if (view == views_.end()) continue;
      found_.cluster = view->second.cluster;
      found_.cluster_source = look.name();
      if (view->second.config) {
        found_.config = *view->second.config;
      } else {
        trouble(look.name(), "patroni configuration", view->second.config.error());
      }
      if (view->second.history) {
        found_.history = *view->second.history;
      } else {
        trouble(look.name(), "patroni history", view->second.history.error());
      }
      return;
    }
  }

  void ask_balancer(const HostLook& look) {
    if (const auto page = statistics_page(look)) {
      const HttpAddress address{.host = page->address.host, .port = page->address.port};
      const auto rows = read_haproxy_stats(seams_.http, address, page->uri, at(look.name(), address));
      if (!rows) return trouble(look.name(), "haproxy statistics", rows.error());
      return learn([&](ServiceLook& found) { found.balancers[look.name()] = *rows; });
    }
    trouble(look.name(), "haproxy statistics",
            {.kind = FailureKind::missing,
             .what = "find HAProxy's statistics page",
             .where = look.name(),
             .came_back = "haproxy.cfg enables none",
             .hint = "Add a listener with `stats enable`, so that what balancers believe can be seen."});
  }

  /// Any Patroni's client certificate will do: they are all signed by the consensus store's authority.
  TlsIdentity etcd_identity() const {
    return {.ca_pem = access_.dcs_ca_pem,
            .certificate_pem = access_.dcs_certificate_pem,
            .key_pem = access_.dcs_key_pem};
  }

  HttpAddress etcd_address(const HostLook& look) const {
    for (const std::string& url : look.etcd->advertised_client_urls) {
      if (const auto address = parse_http_address(url, kEtcdPort)) return *address;
    }
    return {.tls = look.patroni && look.patroni->dcs_tls, .host = look.service_address(), .port = kEtcdPort};
  }

  void ask_etcd(const HostLook& look) {
    const HttpAddress address = etcd_address(look);
    const EtcdClient etcd{seams_.http, address, etcd_identity(), at(look.name(), address)};
    ConsensusMember member{.name = look.etcd->name.empty() ? look.name() : look.etcd->name,
                           .endpoint = address.url()};
    const auto status = etcd.status();
    if (status) {
      member.version = status->version;
      member.database_bytes = status->database_bytes;
      member.leader = !status->leader_id.empty() && status->leader_id == status->member_id;
      const auto healthy = etcd.healthy();
      member.healthy = healthy && *healthy;
    } else {
      trouble(look.name(), "etcd", status.error());
    }
    learn([&](ServiceLook& found) { found.consensus.push_back(std::move(member)); });
  }

  ConnectParameters sql_parameters(const std::string& host, int port) const {
    ConnectParameters parameters{
        .host = host, .port = port, .user = access_.superuser, .password = access_.superuser_password};
    if (!access_.superuser_sslmode.empty()) parameters.sslmode = access_.superuser_sslmode;
    return parameters;
  }

  /// Each process has a socket of its own; its TCP port may be shared by several.
  void ask_pooler(const HostLook& look, const PoolerFile& pooler) {
    const std::string topic = "pgbouncer console (" + pooler.path + ")";
    const std::string where = look.name() + " (" + pooler.path + ")";
    const int port = *pooler.ini.listen_port();
    const std::string directory = pooler.ini.setting("unix_socket_dir");
    if (access_.superuser.empty()) return trouble(look.name(), topic, no_login(where));
    Result<PoolerAnswer> answer = Failure{};
    if (directory.empty()) {
      answer = seams_.sql.pooler(sql_parameters(look.service_address(), port), where);
    } else {
      const auto socket = look.host->forward_postgres_socket(directory, port);
      if (!socket) return trouble(look.name(), topic, socket.error());
      answer = seams_.sql.pooler(sql_parameters((*socket)->directory(), port), where);
    }
    if (!answer) return trouble(look.name(), topic, answer.error());
    learn([&](ServiceLook& found) { found.poolers.push_back({look.name(), pooler.path, *answer}); });
  }

  void ask_server(const HostLook& look) {
    const PatroniYml& patroni = *look.patroni;
    const std::string where = look.name();
    if (access_.superuser.empty()) return trouble(look.name(), "postgresql", no_login(where));
    if (patroni.unix_socket_directory.empty()) {
      return ask_server_at(look,
                           sql_parameters(patroni.postgres_connect.host, patroni.postgres_connect.port));
    }
    const auto socket =
        look.host->forward_postgres_socket(patroni.unix_socket_directory, patroni.postgres_connect.port);
    if (!socket) return trouble(look.name(), "postgresql", socket.error());
    ask_server_at(look, sql_parameters((*socket)->directory(), patroni.postgres_connect.port));
  }

  void ask_server_at(const HostLook& look, const ConnectParameters& parameters) {
    const auto login = seams_.sql.login(parameters, look.name());
    if (!login) return trouble(look.name(), "postgresql", login.error());
    const auto values = seams_.sql.settings(parameters, look.name(), kServerSettings);
    if (!values) trouble(look.name(), "postgresql settings", values.error());
    learn([&](ServiceLook& found) {
      found.servers[look.name()] = *login;
      if (values) found.server_settings[look.name()] = *values;
    });
  }

  static Failure no_login(const std::string& where) {
    return {.kind = FailureKind::missing,
            .what = "log in",
            .where = where,
            .came_back = "no patroni.yml that names a superuser could be read",
            .hint = "Logins come from the deployed patroni.yml, over SSH."};
  }

  /// Every host sees the same repositories; the first database host that has them configured is asked.
  void ask_repositories() {
    for (const HostLook& look : looks_) {
      if (!look.pgbackrest || !look.has(HostRole::postgres)) continue;
      for (const std::string& stanza : look.pgbackrest->stanzas()) ask_stanza(look, stanza);
      return;
    }
  }

  void ask_stanza(const HostLook& look, const std::string& stanza) {
    auto repositories = read_pgbackrest_info(*look.host, stanza, kPgbackrestDeadline);
    if (!repositories) {
      trouble(look.name(), "pgbackrest", repositories.error());
      repositories = unread_repositories(*look.pgbackrest, stanza);
    }
    for (Repository& repository : *repositories) {
      repository.type = repository_type(*look.pgbackrest, stanza, repository.key);
      repository.location = repository_location(*look.pgbackrest, stanza, repository.key);
    }
    learn([&](ServiceLook& found) {
      found.repositories.insert(found.repositories.end(), repositories->begin(), repositories->end());
    });
  }

  /// What is configured shows, even where `info` did not answer.
  static std::vector<Repository> unread_repositories(const PgbackrestConf& conf, const std::string& stanza) {
    std::vector<Repository> repositories;
    for (const int key : conf.repository_keys()) {
      repositories.push_back({.key = key, .stanza = stanza, .status = "not asked"});
    }
    return repositories;
  }

  const std::vector<HostLook>& looks_;
  const InventorySettings& settings_;
  const DiscoverySeams& seams_;
  const DiscoveryOptions& options_;
  const ClusterAccess access_;
  std::mutex mutex_;
  ServiceLook found_;
  std::map<std::string, View> views_;
};

}  // namespace

ClusterAccess access_of(const std::vector<HostLook>& looks) {
  for (const HostLook& look : looks) {
    if (!look.patroni || look.patroni->superuser.empty()) continue;
    const PatroniYml& patroni = *look.patroni;
    const HostFacts& files = look.identity_files;
    return {.superuser = patroni.superuser,
            .superuser_password = patroni.superuser_password,
            .superuser_sslmode = patroni.superuser_sslmode,
            .rest_user = patroni.rest_user,
            .rest_password = patroni.rest_password,
            .rest_ca_pem = files.file(patroni.rest_ca_file),
            .dcs_ca_pem = files.file(patroni.dcs_ca_file),
            .dcs_certificate_pem = files.file(patroni.dcs_certificate_file),
            .dcs_key_pem = Secret{files.file(patroni.dcs_key_file)}};
  }
  return {};
}

std::optional<StatisticsPage> statistics_page(const HostLook& look) {
  if (!look.haproxy) return std::nullopt;
  for (const HaproxyListener& listener : look.haproxy->listeners) {
    if (!listener.stats_enabled || listener.binds.empty()) continue;
    Endpoint address = listener.binds.front();
    if (address.is_everywhere()) address.host = look.service_address();
    return StatisticsPage{.host = look.name(), .address = address, .uri = listener.stats_uri};
  }
  return std::nullopt;
}

HttpAddress rest_address(const HostLook& look, const InventorySettings& settings) {
  if (look.patroni && !look.patroni->rest_connect.host.empty()) {
    return {.tls = look.patroni->rest_tls,
            .host = look.patroni->rest_connect.host,
            .port = look.patroni->rest_connect.port};
  }
  return {.tls = settings.patroni_tls.value_or(true),
          .host = look.service_address(),
          .port = settings.patroni_port.value_or(kPatroniPort)};
}

ServiceLook look_at_services(const std::vector<HostLook>& looks, const InventorySettings& settings,
                             const DiscoverySeams& seams, const DiscoveryOptions& options) {
  return Interviewer{looks, settings, seams, options}.run();
}

ServiceLook look_at_patroni(const HttpAddress& address, const DiscoverySeams& seams,
                            const DiscoveryOptions& options) {
  ServiceLook found;
  const TlsIdentity identity{.ca_pem = options.patroni_ca_pem};
  const PatroniRest entry{seams.http, address, identity, address.url()};
  auto cluster = entry.cluster();
  if (!cluster) {
    found.not_reached.push_back({"", "patroni", cluster.error()});
    return found;
  }
  auto config = entry.config();
  if (config) {
    found.config = std::move(*config);
  } else {
    found.not_reached.push_back({"", "patroni configuration", config.error()});
  }
  auto history = entry.history();
  if (history) {
    found.history = std::move(*history);
  } else {
    found.not_reached.push_back({"", "patroni history", history.error()});
  }
  found.cluster_source = address.url();
  found.cluster = std::move(*cluster);

  std::mutex mutex;
  TaskGroup tasks;
  for (const PatroniMember& member : found.cluster->members) {
    tasks.start([&, name = member.name, url = member.api_url] {
      Result<PatroniNode> node = Failure{};
      if (const auto api = parse_http_address(url, kPatroniPort)) {
        node = PatroniRest{seams.http, *api, identity, name + " (" + api->url() + ")"}.node();
      } else {
        node = api.error();
      }
      const std::lock_guard lock{mutex};
      if (node) {
        found.nodes[name] = *node;
      } else {
        found.not_reached.push_back({name, "patroni", node.error()});
      }
    });
  }
  tasks.wait();
  return found;
}

}  // namespace pgfiredrill
