#pragma once

/// What a cluster is: its hosts as the inventory names them, and what was found on them. Plain data that
/// every room may use; `inventories/` starts it, discovery in `cluster/` completes it, `report/` prints it.
///
/// Names, addresses and texts in here come from inventories, files and servers: they are data, and are quoted
/// or escaped by whoever hands them on. Secrets are `Secret`.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/secret.h"
#include "base/settings.h"

namespace pgfiredrill {

// ---- from the inventory
// -------------------------------------------------------------------------------------------

enum class HostRole : unsigned char { postgres, balancer, consensus, repository };

[[nodiscard]] const char* to_string(HostRole role) noexcept;

/// How the OpenSSH client reaches a host. What is empty is left to the user's own ssh configuration.
struct SshAccess {
  std::string user;
  std::optional<int> port;
  std::string private_key_file;
  /// `ansible_ssh_common_args` and `ansible_ssh_extra_args`, split as a shell would: each an argument of ssh.
  std::vector<std::string> arguments;
  bool become = false;     ///< the inventory asks for sudo
  Secret become_password;  ///< empty: sudo without a password
};

struct HostDescription {
  std::string name;     ///< in the inventory
  std::string address;  ///< what ssh connects to (`ansible_host`, else the name)
  std::set<HostRole> roles;
  SshAccess ssh;
  std::string hostname;      ///< autobase's `hostname`, which becomes the Patroni member's name; may be empty
  std::string bind_address;  ///< the address that services listen on where the inventory says so; else empty
  bool inventory_master = false;  ///< in the group `master`: its role when it was deployed, not now
};

/// autobase's variables that say where things are before anything was reached. Discovery overrules them by
/// what is deployed.
struct InventorySettings {
  std::string cluster_name;  ///< patroni_cluster_name
  std::string cluster_vip;
  std::string dcs_type;  ///< "etcd" or "consul"
  std::optional<int> patroni_port;
  std::optional<bool> patroni_tls;
  std::optional<int> pgbouncer_port;
  std::optional<int> postgresql_port;
  std::optional<bool> with_haproxy;
  std::map<std::string, int> haproxy_ports;  ///< "master", "replicas", …, "stats"
};

/// Where the description starts: an inventory, or only a Patroni address.
struct ClusterSeed {
  std::string source;                  ///< the inventory's path or Patroni's URL, for messages
  std::vector<HostDescription> hosts;  ///< in the inventory's order, each once
  InventorySettings settings;
  std::string patroni_url;           ///< set where there is no inventory
  std::vector<std::string> remarks;  ///< what is odd but no obstacle, a sentence each
};

// ---- found on the cluster
// -----------------------------------------------------------------------------------------

/// autobase's schemes.
enum class DeploymentType : unsigned char {
  unknown,
  a,  ///< HAProxy behind a virtual address (keepalived)
  b,  ///< a virtual address that follows the leader (vip-manager), no HAProxy
  c,  ///< Consul service discovery
  d,  ///< no virtual address: clients list the balancers or servers
};

/// "A", "B", "C", "D" or "unknown".
[[nodiscard]] const char* to_string(DeploymentType type) noexcept;
/// One sentence for people.
[[nodiscard]] const char* explain(DeploymentType type) noexcept;

struct Endpoint {
  std::string host;
  int port = 0;

  [[nodiscard]] std::string to_string() const;  ///< `10.0.0.1:5432`, `[fe80::1]:5432`
  /// A listening address that stands for every address of its host.
  [[nodiscard]] bool is_everywhere() const noexcept;
  [[nodiscard]] bool operator==(const Endpoint&) const = default;
  [[nodiscard]] auto operator<=>(const Endpoint&) const = default;
};

/// Patroni's words for a member that holds the leader key, in every release.
[[nodiscard]] bool is_leader_role(const std::string& role) noexcept;
/// And for one that has every acknowledged write under synchronous replication.
[[nodiscard]] bool is_synchronous_role(const std::string& role) noexcept;

/// One Patroni member now.
struct Member {
  std::string name;
  std::string host;  ///< inventory name of its host; empty where none matches
  Endpoint postgres;
  std::string api_url;
  std::string role;   ///< Patroni's word: leader, replica, sync_standby, standby_leader, …
  std::string state;  ///< running, streaming, stopped, …
  std::optional<std::int64_t> timeline;
  std::optional<std::int64_t> lag_bytes;  ///< absent for the leader, and where Patroni says "unknown"
  std::string postgres_version;           ///< "17.6"; empty where it was not learnt
  std::string patroni_version;
  bool pending_restart = false;
  std::map<std::string, std::string> tags;
  std::optional<bool> in_recovery;  ///< what its own PostgreSQL answered
  std::string data_directory;       ///< by patroni.yml; empty where it was not read
  std::string socket_directory;     ///< of its PostgreSQL's Unix socket; empty where none is configured

  [[nodiscard]] bool leads() const { return is_leader_role(role); }
};

/// What clients connect to.
enum class EntryPointKind : unsigned char { balancer, vip, pooler, server };
[[nodiscard]] const char* to_string(EntryPointKind kind) noexcept;

/// What the entry point is for; `replica_sync` and `replica_async` may be empty by design.
enum class EntryPointRole : unsigned char { primary, replica, replica_sync, replica_async, node };
[[nodiscard]] const char* to_string(EntryPointRole role) noexcept;

/// One server behind a balancer's listener, as the balancer sees it.
struct BackendServer {
  std::string name;
  Endpoint address;
  std::string status;      ///< HAProxy's word: UP, DOWN, "UP 1/3", MAINT, "no check"
  std::string last_check;  ///< `L7OK/200`, `L4TOUT`

  /// The balancer sends clients there.
  [[nodiscard]] bool is_up() const { return status.starts_with("UP") || status == "no check"; }
};

struct EntryPoint {
  EntryPointKind kind = EntryPointKind::balancer;
  EntryPointRole role = EntryPointRole::node;
  std::string host;      ///< inventory name of the host it is on; empty for a virtual address
  std::string listener;  ///< HAProxy's section; empty otherwise
  Endpoint address;
  std::vector<BackendServer> servers;  ///< for balancers
  /// Member whose PostgreSQL answered a real login and query through it; empty where none did.
  std::string answered_by;
  std::optional<bool> answered_in_recovery;
  std::optional<std::chrono::microseconds> login_time;  ///< connect, TLS, authentication, one query
};

struct Backup {
  std::string label;
  std::string type;                    ///< full, diff, incr
  std::chrono::seconds stopped_at{0};  ///< since 1970 UTC
  std::int64_t repository_bytes = 0;
  std::int64_t database_bytes = 0;
};

struct Repository {
  int key = 0;           ///< pgBackRest's number: 1, 2, …
  std::string type;      ///< posix, s3, gcs, azure, sftp, cifs
  std::string location;  ///< `s3://bucket/path at endpoint`, `posix /var/lib/pgbackrest`
  std::string stanza;
  bool reachable = false;
  std::string status;  ///< pgBackRest's message: "ok", "no valid backups", …
  std::optional<Backup> last_full;
  std::optional<Backup> last_backup;
  int backups = 0;
  std::string archive_min;  ///< oldest and newest WAL segment of the current database; empty: none
  std::string archive_max;
};

struct ConsensusMember {
  std::string name;
  std::string endpoint;
  bool healthy = false;
  bool leader = false;
  std::string version;
  std::optional<std::int64_t> database_bytes;
};

/// Where a balancer's statistics page is.
struct StatisticsPage {
  std::string host;  ///< inventory name of the balancer
  Endpoint address;
  std::string uri;
};

struct VirtualAddress {
  std::string address;
  std::string manager;               ///< "keepalived" or "vip-manager"
  std::vector<std::string> holders;  ///< inventory names of the hosts that have it now
};

/// A component's unit on a host and what version answers there.
struct ComponentVersion {
  std::string host;
  std::string component;  ///< postgresql, patroni, pgbouncer, haproxy, etcd, keepalived, pgbackrest
  std::string version;
};

/// A timeline that ended, by Patroni's `/history`.
struct LeaderChange {
  std::int64_t timeline = 0;  ///< the one that ended
  std::string at;             ///< RFC 3339 as Patroni wrote it; empty in old entries
  std::string new_leader;     ///< empty in old entries
  std::string reason;
};

/// Who may do what, as it is deployed: for whoever has to log in. Never printed, recorded or reported.
struct ClusterAccess {
  std::string superuser;
  Secret superuser_password;
  std::string superuser_sslmode;
  std::string rest_user;  ///< for Patroni's unsafe methods
  Secret rest_password;
  std::string rest_ca_pem;  ///< signs Patroni's certificates, and those of servers and poolers where autobase
                            ///< laid them
  std::string dcs_ca_pem;   ///< signs the consensus store's
  std::string dcs_certificate_pem;  ///< a client certificate for it
  Secret dcs_key_pem;
};

/// One thing that could not be looked at. Never silently dropped: what is not here was seen.
struct NotReached {
  std::string host;   ///< inventory name; empty for the whole cluster
  std::string topic;  ///< "ssh", "patroni", "haproxy statistics", "entry point 10.0.0.1:5000", …
  Failure failure;
};

struct ClusterDescription {
  std::string source;
  std::string name;  ///< Patroni's scope
  std::string system_identifier;
  DeploymentType type = DeploymentType::unknown;
  std::vector<std::string> type_evidence;
  std::string dcs_type;
  std::vector<HostDescription> hosts;
  std::vector<Member> members;
  std::vector<EntryPoint> entry_points;
  std::vector<VirtualAddress> virtual_addresses;
  std::vector<StatisticsPage> statistics;
  std::vector<Repository> repositories;
  std::vector<ConsensusMember> consensus;
  std::vector<ComponentVersion> versions;
  std::vector<LeaderChange> history;  ///< oldest first
  FailoverSettings settings;
  ClusterAccess access;
  std::vector<std::string> remarks;
  std::vector<NotReached> not_reached;
  std::chrono::milliseconds took{0};  ///< wall time of the whole look

  /// Null where there is none of that name.
  [[nodiscard]] const Member* find_member(const std::string& member) const;
};

}  // namespace pgfiredrill
