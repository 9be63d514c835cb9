#pragma once

/// patroni.yml as it is deployed: where the REST interface, PostgreSQL and the consensus store are, and who
/// may use them. What it says under `bootstrap.dcs` is *not* live configuration and is not read: that is `GET
/// /config`.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/secret.h"

namespace pgfiredrill {

struct PatroniYml {
  std::string scope;
  std::string name;
  std::string dcs_namespace;  ///< without the slashes; "service" where not set, as Patroni does it

  Endpoint rest_listen;   ///< of several addresses the first
  Endpoint rest_connect;  ///< `rest_listen` where not set, as Patroni does it
  bool rest_tls = false;  ///< a certfile is set
  std::string rest_ca_file;
  std::string rest_user;
  Secret rest_password;

  std::string dcs_type;  ///< "etcd3", "etcd", "consul", "zookeeper", …; empty where none is named
  std::vector<Endpoint> dcs_hosts;
  bool dcs_tls = false;
  std::string dcs_ca_file;
  std::string dcs_certificate_file;
  std::string dcs_key_file;
  std::string dcs_user;
  Secret dcs_password;

  Endpoint postgres_listen;   ///< of several addresses the first
  Endpoint postgres_connect;  ///< `postgres_listen` where not set, as Patroni does it
  std::string data_directory;
  std::string bin_directory;
  std::string config_directory;
  std::string unix_socket_directory;  ///< the first of unix_socket_directories; empty where not set
  std::string superuser;
  Secret superuser_password;
  std::string superuser_sslmode;
  std::string replication_user;
  Secret replication_password;

  std::string watchdog_mode;  ///< "off", "automatic" or "required"; empty where not set
  std::map<std::string, std::string> tags;
};

/// Never throws. Fails `malformed` on what is not YAML, not a mapping, or lacks `scope` or `name`; the
/// message names the line and never shows a value. `where` is for the message:
/// "pg1:/etc/patroni/patroni.yml". Values of unexpected kind (a list where a text is due) count as absent.
[[nodiscard]] Result<PatroniYml> parse_patroni_yml(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
