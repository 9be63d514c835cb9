#include "cluster/cluster_probe.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "cluster/discovery/task_group.h"
#include "cluster/etcd_client.h"
#include "cluster/haproxy_stats.h"
#include "cluster/server_watch.h"

namespace pgfiredrill {
namespace {

constexpr std::chrono::milliseconds kHttpDeadline{1'000};
constexpr std::chrono::milliseconds kSqlDeadline{2'000};

/// The clients' own deadlines suit a look that is taken once; these looks are taken each second.
class HurriedHttpClient final : public HttpClient {
 public:
  explicit HurriedHttpClient(HttpClient& http) : http_{http} {}

  [[nodiscard]] Result<HttpResponse> send(const HttpAddress& address, const TlsIdentity& identity,
                                          const HttpRequest& request) override {
    HttpRequest hurried = request;
    hurried.deadline = std::min(hurried.deadline, kHttpDeadline);
    return http_.send(address, identity, hurried);
  }

 private:
  HttpClient& http_;
};

std::string at(const std::string& name, const HttpAddress& address) {
  return name + " (" + address.url() + ")";
}

const PatroniMember* leader_of(const PatroniCluster& cluster) {
  const auto found = std::find_if(cluster.members.begin(), cluster.members.end(),
                                  [](const PatroniMember& member) { return is_leader_role(member.role); });
  return found == cluster.members.end() ? nullptr : &*found;
}

/// What a balancer's listeners are for and who is behind them, by its description.
class BalancerNames {
 public:
  explicit BalancerNames(const ClusterDescription& cluster) : cluster_{cluster} {}

  [[nodiscard]] std::optional<EntryPointRole> role_of(const std::string& host,
                                                      const std::string& listener) const {
    const EntryPoint* point = find(host, listener);
    if (point == nullptr) return std::nullopt;
    return point->role;
  }

  /// Servers are named by whoever wrote haproxy.cfg; their addresses tell the members.
  [[nodiscard]] std::string member_of(const std::string& host, const HaproxyStatsRow& row) const {
    std::string address = row.address.substr(0, row.address.rfind(':'));
    if (const EntryPoint* point = find(host, row.proxy); address.empty() && point != nullptr) {
      for (const BackendServer& server : point->servers) {
        if (server.name == row.server) address = server.address.host;
      }
    }
    for (const Member& member : cluster_.members) {
      if (!address.empty() && member.postgres.host == address) return member.name;
    }
    return row.server;
  }

 private:
  /// On a virtual address every balancer has the same listeners, and the entry point names none of them.
  [[nodiscard]] const EntryPoint* find(const std::string& host, const std::string& listener) const {
    for (const EntryPoint& point : cluster_.entry_points) {
      if (point.listener == listener && (point.host == host || point.host.empty())) return &point;
    }
    return nullptr;
  }

  const ClusterDescription& cluster_;
};

bool takes_clients(const HaproxyStatsRow& row) {
  return BackendServer{.status = row.status}.is_up();
}

class SystemClusterProbe final : public ClusterProbe {
 public:
  SystemClusterProbe(const ClusterDescription& cluster, HttpClient& http, const HostFinder& hosts,
                     Clock& clock)
      : cluster_{cluster}, http_{http}, clock_{clock} {
    for (const Member& member : cluster_.members) {
      if (member.host.empty()) continue;
      watches_[member.name] = std::make_unique<ServerWatch>(cluster_, member, hosts(member.host));
    }
  }

  [[nodiscard]] ClusterSnapshot look() override {
    found_ = {};
    found_.at = clock_.monotonic();
    views_.assign(cluster_.members.size(), std::nullopt);
    archivers_.clear();
    TaskGroup tasks;
    const auto sql_deadline = std::chrono::steady_clock::now() + kSqlDeadline;
    for (const auto& [member, watch] : watches_) {
      tasks.start(
          [this, &name = member, &server = *watch, sql_deadline] { ask_server(name, server, sql_deadline); });
    }
    for (std::size_t i = 0; i < cluster_.members.size(); ++i) tasks.start([this, i] { ask_patroni(i); });
    for (const StatisticsPage& page : cluster_.statistics) tasks.start([this, &page] { ask_balancer(page); });
    for (const ConsensusMember& member : cluster_.consensus)
      tasks.start([this, &member] { ask_consensus(member); });
    tasks.wait();
    choose_view();
    choose_archiver();
    std::sort(found_.troubles.begin(), found_.troubles.end());
    return std::move(found_);
  }

 private:
  template <typename Add>
  void learn(const Add& add) {
    const std::lock_guard lock{mutex_};
    add();
  }

  void trouble(const std::string& sentence) {
    learn([&] { found_.troubles.push_back(sentence); });
  }

  void ask_patroni(std::size_t index) {
    const Member& member = cluster_.members[index];
    const auto address = parse_http_address(member.api_url, kPatroniPort);
    if (!address) return trouble(address.error().message());
    const PatroniRest patroni{
        http_, *address, {.ca_pem = cluster_.access.rest_ca_pem}, at(member.name, *address)};
    auto view = patroni.cluster();
    if (!view) return trouble(view.error().message());
    learn([&] { views_[index] = std::move(*view); });
  }

  void ask_server(const std::string& member, ServerWatch& watch,
                  std::chrono::steady_clock::time_point deadline) {
    ServerAnswer answer = watch.ask(deadline);
    if (!answer.state.answered) trouble("PostgreSQL of " + member + ": " + answer.state.why_not);
    learn([&] {
      if (answer.state.answered) archivers_[member] = answer.archiver;
      found_.servers[member] = std::move(answer.state);
    });
  }

  void ask_balancer(const StatisticsPage& page) {
    const HttpAddress address{.host = page.address.host, .port = page.address.port};
    const auto rows = read_haproxy_stats(http_, address, page.uri, at(page.host, address));
    if (!rows) return trouble(rows.error().message());
    const BalancerNames names{cluster_};
    std::map<EntryPointRole, std::set<std::string>> up;
    for (const HaproxyStatsRow& row : *rows) {
      const auto role = names.role_of(page.host, row.proxy);
      if (!role) continue;
      auto& members = up[*role];  // a listener with nobody up is there all the same
      if (row.is_server() && takes_clients(row)) members.insert(names.member_of(page.host, row));
    }
    learn([&] { found_.balancers[page.host] = std::move(up); });
  }

  void ask_consensus(const ConsensusMember& member) {
    const auto address = parse_http_address(member.endpoint, kEtcdPort);
    if (!address) return trouble(address.error().message());
    const TlsIdentity identity{.ca_pem = cluster_.access.dcs_ca_pem,
                               .certificate_pem = cluster_.access.dcs_certificate_pem,
                               .key_pem = cluster_.access.dcs_key_pem};
    const EtcdClient etcd{http_, *address, identity, at(member.name, *address)};
    const auto healthy = etcd.healthy();
    if (!healthy) return trouble(healthy.error().message());
    if (!*healthy) return trouble(member.name + " of the consensus store says that it is not healthy");
    learn([&] { found_.consensus_healthy.insert(member.name); });
  }

  /// Where nodes see different clusters, one that is cut off tells of the past: the later timeline counts.
  void choose_view() {
    const PatroniCluster* chosen = nullptr;
    std::set<std::string> leaders;
    for (const auto& view : views_) {
      if (!view) continue;
      const PatroniMember* leader = leader_of(*view);
      leaders.insert(leader == nullptr ? "nobody" : leader->name);
      if (chosen == nullptr || timeline_of(*view) > timeline_of(*chosen)) chosen = &*view;
    }
    if (leaders.size() > 1) {
      std::string names;
      for (const std::string& name : leaders) names += (names.empty() ? "" : ", ") + name;
      found_.troubles.push_back("Patroni's nodes do not agree on who leads: " + names);
    }
    if (chosen == nullptr) return;
    found_.members = chosen->members;
    found_.paused = chosen->paused;
    found_.switchover_scheduled = chosen->switchover_scheduled;
  }

  static std::int64_t timeline_of(const PatroniCluster& view) {
    const PatroniMember* leader = leader_of(view);
    return leader == nullptr ? -1 : leader->timeline.value_or(0);
  }

  void choose_archiver() {
    const PatroniMember* leader = found_.leader();
    if (leader == nullptr) return;
    const auto archiver = archivers_.find(leader->name);
    if (archiver != archivers_.end()) found_.archiver = archiver->second;
  }

  const ClusterDescription& cluster_;
  HurriedHttpClient http_;
  Clock& clock_;
  std::map<std::string, std::unique_ptr<ServerWatch>> watches_;

  // Of one look; tasks write under the mutex.
  std::mutex mutex_;
  ClusterSnapshot found_;
  std::vector<std::optional<PatroniCluster>> views_;
  std::map<std::string, ArchiverState> archivers_;
};

}  // namespace

std::unique_ptr<ClusterProbe> make_cluster_probe(const ClusterDescription& cluster, HttpClient& http,
                                                 HostFinder hosts, Clock& clock) {
  return std::make_unique<SystemClusterProbe>(cluster, http, hosts, clock);
}

}  // namespace pgfiredrill
