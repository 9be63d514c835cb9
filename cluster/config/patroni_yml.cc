#include "cluster/config/patroni_yml.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "cluster/config/yaml_document.h"

namespace pgfiredrill {
namespace {

constexpr int kRestPort = 8008;
constexpr int kPostgresPort = 5432;

struct DcsKind {
  const char* section;
  int default_port;
};

/// In the order in which Patroni looks for them: where several stand, the first is the one in use.
constexpr std::array kDcsKinds = {
    DcsKind{"consul", 8500},    DcsKind{"etcd", 2379}, DcsKind{"etcd3", 2379},    DcsKind{"exhibitor", 8181},
    DcsKind{"kubernetes", 443}, DcsKind{"raft", 2222}, DcsKind{"zookeeper", 2181}};

std::string unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
    text = trim(text.substr(1, text.size() - 2));
  }
  return std::string{text};
}

std::string without_brackets(std::string_view host) {
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return std::string{host};
}

/// `HOST[,HOST...][:PORT]`, as Patroni splits it: at the last colon. The first host; an empty one, and port
/// 0, where the text is no such thing.
Endpoint parse_endpoint(const std::string& text, int default_port) {
  std::string_view hosts = trim(text);
  int port = default_port;
  const bool only_brackets = hosts.starts_with('[') && hosts.ends_with(']');
  const auto colon = only_brackets ? std::string_view::npos : hosts.rfind(':');
  if (colon != std::string_view::npos) {
    const auto number = parse_port(trim(hosts.substr(colon + 1)));
    if (!number) return {};
    port = *number;
    hosts = hosts.substr(0, colon);
  }
  const std::string host = without_brackets(trim(hosts.substr(0, hosts.find(','))));
  if (host.empty()) return {};
  return {.host = host, .port = port};
}

std::string without_slashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return std::string{text};
}

bool starts_with_https(const std::string& url) {
  return lower(url).starts_with("https://");
}

/// What stands between the scheme and the path of a URL; credentials are left out.
std::string authority(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find('/'));
  const auto at = url.rfind('@');
  if (at != std::string_view::npos) url.remove_prefix(at + 1);
  return std::string{url};
}

class PatroniReader {
 public:
  explicit PatroniReader(const YamlDocument& yaml) : yaml_{yaml} {}

  PatroniYml read() {
    read_identity();
    read_rest();
    read_dcs();
    read_postgres();
    read_watchdog();
    read_tags();
    return std::move(patroni_);
  }

 private:
  std::string text(const std::vector<std::string>& path) const { return yaml_.text_at(yaml_.root(), path); }

  Endpoint endpoint(const std::vector<std::string>& path, int default_port) const {
    return parse_endpoint(text(path), default_port);
  }

  void read_identity() {
    patroni_.scope = text({"scope"});
    patroni_.name = text({"name"});
    patroni_.dcs_namespace = without_slashes(text({"namespace"}));
    if (patroni_.dcs_namespace.empty()) patroni_.dcs_namespace = "service";
  }

  void read_rest() {
    patroni_.rest_listen = endpoint({"restapi", "listen"}, kRestPort);
    patroni_.rest_connect = endpoint({"restapi", "connect_address"}, kRestPort);
    if (patroni_.rest_connect.port == 0) patroni_.rest_connect = patroni_.rest_listen;
    patroni_.rest_tls = !text({"restapi", "certfile"}).empty();
    patroni_.rest_ca_file = text({"restapi", "cafile"});
    patroni_.rest_user = text({"restapi", "authentication", "username"});
    patroni_.rest_password = Secret{text({"restapi", "authentication", "password"})};
    if (patroni_.rest_user.empty()) read_old_rest_authentication();
  }

  /// `auth: user:password`, which Patroni still takes.
  void read_old_rest_authentication() {
    const std::string both = text({"restapi", "auth"});
    const auto colon = both.find(':');
    if (colon == std::string::npos) return;
    patroni_.rest_user = both.substr(0, colon);
    patroni_.rest_password = Secret{both.substr(colon + 1)};
  }

  void read_dcs() {
    for (const DcsKind& kind : kDcsKinds) {
      const auto section = yaml_.find(yaml_.root(), kind.section);
      if (!section) continue;
      patroni_.dcs_type = kind.section;
      read_dcs_section(*section, kind.default_port);
      return;
    }
  }

  void read_dcs_section(YamlDocument::Node section, int default_port) {
    patroni_.dcs_ca_file = yaml_.text_at(section, {"cacert"});
    patroni_.dcs_certificate_file = yaml_.text_at(section, {"cert"});
    patroni_.dcs_key_file = yaml_.text_at(section, {"key"});
    patroni_.dcs_user = yaml_.text_at(section, {"username"});
    patroni_.dcs_password = Secret{yaml_.text_at(section, {"password"})};
    patroni_.dcs_tls = lower(yaml_.text_at(section, {"protocol"})) == "https" ||
                       lower(yaml_.text_at(section, {"scheme"})) == "https" ||
                       parse_bool(yaml_.text_at(section, {"use_ssl"})).value_or(false);
    read_dcs_hosts(section, default_port);
  }

  /// Patroni takes one address (`host`, a `url` or a `proxy`), a text with commas or a list (`hosts`).
  void read_dcs_hosts(YamlDocument::Node section, int default_port) {
    if (const auto hosts = yaml_.find(section, "hosts")) {
      for (const std::string& host : split_list(yaml_.text(*hosts).value_or(""), ',')) {
        add_dcs_host(host, default_port);
      }
      for (const YamlDocument::Node member : yaml_.members(*hosts)) {
        add_dcs_host(yaml_.text(member).value_or(""), default_port);
      }
    }
    const auto own_port = parse_port(yaml_.text_at(section, {"port"}));  // of Consul
    for (const char* key : {"host", "url", "proxy"}) {
      if (patroni_.dcs_hosts.empty()) {
        add_dcs_host(yaml_.text_at(section, {key}), own_port.value_or(default_port));
      }
    }
  }

  void add_dcs_host(const std::string& text, int default_port) {
    const std::string address = unquoted(text);
    const Endpoint endpoint = parse_endpoint(authority(address), default_port);
    if (endpoint.port == 0) return;
    patroni_.dcs_hosts.push_back(endpoint);
    if (starts_with_https(address)) patroni_.dcs_tls = true;
  }

  void read_postgres() {
    patroni_.postgres_listen = endpoint({"postgresql", "listen"}, kPostgresPort);
    patroni_.postgres_connect = endpoint({"postgresql", "connect_address"}, kPostgresPort);
    if (patroni_.postgres_connect.port == 0) patroni_.postgres_connect = patroni_.postgres_listen;
    patroni_.data_directory = text({"postgresql", "data_dir"});
    patroni_.bin_directory = text({"postgresql", "bin_dir"});
    patroni_.config_directory = text({"postgresql", "config_dir"});
    patroni_.unix_socket_directory = first_socket_directory();
    patroni_.superuser = text({"postgresql", "authentication", "superuser", "username"});
    patroni_.superuser_password = Secret{text({"postgresql", "authentication", "superuser", "password"})};
    patroni_.superuser_sslmode = text({"postgresql", "authentication", "superuser", "sslmode"});
    patroni_.replication_user = text({"postgresql", "authentication", "replication", "username"});
    patroni_.replication_password = Secret{text({"postgresql", "authentication", "replication", "password"})};
  }

  std::string first_socket_directory() const {
    const auto value = yaml_.find_path(yaml_.root(), {"postgresql", "parameters", "unix_socket_directories"});
    if (!value) return {};
    const auto members = yaml_.members(*value);
    if (!members.empty()) return unquoted(yaml_.text(members.front()).value_or(""));
    const auto directories = split_list(yaml_.text(*value).value_or(""), ',');
    return directories.empty() ? "" : unquoted(directories.front());
  }

  /// Patroni's own reading: YAML's `off` and `false`, and any word that it does not know, are off.
  void read_watchdog() {
    const std::string mode = lower(text({"watchdog", "mode"}));
    if (mode.empty()) return;
    if (mode == "required" || mode == "require") {
      patroni_.watchdog_mode = "required";
    } else if (mode == "automatic" || mode == "auto") {
      patroni_.watchdog_mode = "automatic";
    } else {
      patroni_.watchdog_mode = "off";
    }
  }

  void read_tags() {
    const auto tags = yaml_.find(yaml_.root(), "tags");
    if (!tags) return;
    for (const auto& [key, value] : yaml_.entries(*tags)) {
      if (const auto word = yaml_.text(value)) patroni_.tags[key] = *word;
    }
  }

  const YamlDocument& yaml_;
  PatroniYml patroni_;
};

}  // namespace

Result<PatroniYml> parse_patroni_yml(const std::string& text, const std::string& where) {
  const ConfigFile file{.name = "Patroni's configuration",
                        .where = where,
                        .hint = "Let 'patroni --validate-config' check the file there."};
  const auto yaml = YamlDocument::parse(text, file);
  if (!yaml) return yaml.error();
  if (yaml->kind(yaml->root()) != YamlDocument::Kind::mapping) {
    return malformed_file(file, "it is not a mapping of settings");
  }
  for (const char* required : {"scope", "name"}) {
    if (yaml->text_at(yaml->root(), {required}).empty()) {
      return malformed_file(file, std::string{"it has no '"} + required + "'");
    }
  }
  return PatroniReader{*yaml}.read();
}

}  // namespace pgfiredrill
