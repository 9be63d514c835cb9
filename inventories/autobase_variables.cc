#include "inventories/autobase_variables.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "inventories/shell_words.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kLongestName = 255;

struct RoleOfGroup {
  const char* group;
  HostRole role;
};

/// `postgres_cluster` is made of `master` and `replica`, but nothing forces an inventory to have all three.
constexpr RoleOfGroup kRoles[]{
    {"postgres_cluster", HostRole::postgres}, {"master", HostRole::postgres},
    {"replica", HostRole::postgres},          {"balancers", HostRole::balancer},
    {"etcd_cluster", HostRole::consensus},    {"consul_instances", HostRole::consensus},
    {"pgbackrest", HostRole::repository},
};

bool is_blank_or_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

bool is_address_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
         c == '_' || c == ':' || c == '%';
}

/// Why a text is not fit for a command line or a message; nullptr where it is.
const char* unfit_word(std::string_view text) {
  if (text.empty()) return "it is empty";
  if (text.size() > kLongestName) return "it is longer than 255 bytes";
  if (text.front() == '-') return "it begins with \"-\", which ssh takes for an option";
  if (std::any_of(text.begin(), text.end(), is_blank_or_control))
    return "there is a space or control character in it";
  return nullptr;
}

/// ssh would read `user@host` and `ssh://host` in its own way.
const char* unfit_address(std::string_view text) {
  if (const char* trouble = unfit_word(text)) return trouble;
  if (!std::all_of(text.begin(), text.end(), is_address_character))
    return "there is a character in it that no host name and no address has";
  return nullptr;
}

Failure refused(const std::string& subject, const std::string& host, const std::string& value,
                const std::string& came_back) {
  return {.kind = FailureKind::malformed,
          .what = fmt::format("use {} \"{}\"", subject, one_line(value, 80)),
          .where = one_line(host, 80),
          .came_back = came_back,
          .hint = "Correct it in the inventory."};
}

/// A host's variables, without those that nothing could render.
class Variables {
 public:
  Variables(const HostVariables& variables, std::string host, std::vector<std::string>& remarks)
      : variables_{variables}, host_{std::move(host)}, remarks_{remarks} {}

  /// The first of these variables that has a value.
  std::optional<std::string> text(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto found = variables_.find(name);
      if (found == variables_.end() || found->second.needs_rendering() || found->second.text.empty())
        continue;
      return found->second.text;
    }
    return std::nullopt;
  }

  std::optional<int> port(std::initializer_list<const char*> names) const {
    const auto value = text(names);
    if (!value) return std::nullopt;
    const auto port = parse_port(trim(*value));
    if (!port) ignored(*names.begin(), "is no port");
    return port;
  }

  std::optional<bool> boolean(std::initializer_list<const char*> names) const {
    const auto value = text(names);
    if (!value) return std::nullopt;
    const auto boolean = parse_bool(*value);
    if (!boolean) ignored(*names.begin(), "is neither true nor false");
    return boolean;
  }

  /// A text that is fit for messages and for comparing.
  std::optional<std::string> word(std::initializer_list<const char*> names) const {
    const auto value = text(names);
    if (!value) return std::nullopt;
    if (const char* trouble = unfit_word(*value)) {
      ignored(*names.begin(), fmt::format("is not usable: {}", trouble));
      return std::nullopt;
    }
    return value;
  }

  const std::map<std::string, std::string>* dictionary(const char* name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() || found->second.needs_rendering() ? nullptr : &found->second.entries;
  }

  bool given(const char* name) const { return variables_.contains(name); }

  bool unrendered(const char* name) const {
    const auto found = variables_.find(name);
    return found != variables_.end() && found->second.needs_rendering();
  }

  void ignored(const char* variable, std::string_view why) const {
    remarks_.push_back(fmt::format("{} of {} {} and is left out.", variable, host_, why));
  }

 private:
  const HostVariables& variables_;
  std::string host_;
  std::vector<std::string>& remarks_;
};

/// Where old and new names of a connection variable are both given, Ansible takes the old one.
Result<std::string> read_address(const Variables& variables, const std::string& name) {
  for (const char* variable : {"ansible_ssh_host", "ansible_host"}) {
    // Not the name instead: it might be another machine.
    if (variables.unrendered(variable)) {
      return Failure{.kind = FailureKind::malformed,
                     .what = fmt::format("find the address of {}", name),
                     .where = {},
                     .came_back = fmt::format("Ansible could not render its {}", variable),
                     .hint =
                         "Put what it refers to into the inventory: facts and extra variables of a "
                         "playbook are not known here."};
    }
  }
  const std::string address = variables.text({"ansible_ssh_host", "ansible_host"}).value_or(name);
  if (const char* trouble = unfit_address(address)) return refused("the address", name, address, trouble);
  return address;
}

Result<std::vector<std::string>> read_ssh_arguments(const Variables& variables, const std::string& host) {
  std::vector<std::string> arguments;
  for (const char* name : {"ansible_ssh_common_args", "ansible_ssh_extra_args"}) {
    const auto text = variables.text({name});
    if (!text) continue;
    auto words = shell_words(*text);
    if (!words) {
      Failure failure = words.error();
      failure.what = fmt::format("read {}", name);
      failure.where = host;
      failure.hint = "Correct it in the inventory.";
      return failure;
    }
    std::move(words->begin(), words->end(), std::back_inserter(arguments));
  }
  return arguments;
}

Result<SshAccess> read_ssh_access(const Variables& variables, const std::string& host) {
  SshAccess ssh;
  ssh.user = variables.text({"ansible_ssh_user", "ansible_user"}).value_or("");
  if (!ssh.user.empty()) {
    if (const char* trouble = unfit_word(ssh.user)) return refused("the user", host, ssh.user, trouble);
  }
  ssh.port = variables.port({"ansible_ssh_port", "ansible_port"});
  ssh.private_key_file =
      variables.text({"ansible_ssh_private_key_file", "ansible_private_key_file"}).value_or("");
  if (ssh.private_key_file.starts_with('-') || one_line(ssh.private_key_file, 4096) != ssh.private_key_file)
    return refused("the private key file", host, ssh.private_key_file, "it is no path that ssh could take");
  auto arguments = read_ssh_arguments(variables, host);
  if (!arguments) return arguments.error();
  ssh.arguments = std::move(*arguments);
  ssh.become = variables.boolean({"ansible_become", "ansible_sudo"}).value_or(false);
  ssh.become_password = Secret{
      variables.text({"ansible_sudo_pass", "ansible_become_pass", "ansible_become_password"}).value_or("")};
  return ssh;
}

/// autobase's services each have a variable of their own, which goes before `bind_address`.
std::string read_bind_address(const Variables& variables, const std::set<HostRole>& roles) {
  std::optional<std::string> address;
  if (roles.contains(HostRole::postgres)) address = variables.word({"patroni_bind_address"});
  if (!address && roles.contains(HostRole::balancer)) address = variables.word({"haproxy_bind_address"});
  if (!address && roles.contains(HostRole::consensus))
    address = variables.word({"etcd_bind_address", "consul_bind_address"});
  if (!address) address = variables.word({"bind_address"});
  // All addresses is none to connect to.
  if (!address || *address == "0.0.0.0" || *address == "::") return {};
  if (const char* trouble = unfit_address(*address)) {
    variables.ignored("bind_address", fmt::format("is not usable: {}", trouble));
    return {};
  }
  return *address;
}

void remark_other_ways(const Variables& variables, const HostDescription& host,
                       std::vector<std::string>& remarks) {
  const std::string connection = variables.text({"ansible_connection"}).value_or("ssh");
  if (connection != "smart" && connection != "paramiko" && !connection.ends_with("ssh")) {
    remarks.push_back(fmt::format("{} has ansible_connection={}; it is reached by ssh all the same.",
                                  host.name, one_line(connection, 40)));
  }
  const std::string method = variables.text({"ansible_become_method"}).value_or("sudo");
  if (method != "sudo" && method != "ansible.builtin.sudo") {
    remarks.push_back(fmt::format("{} has ansible_become_method={}; sudo is used all the same.", host.name,
                                  one_line(method, 40)));
  }
  if ((variables.given("ansible_ssh_pass") || variables.given("ansible_password")) &&
      host.ssh.private_key_file.empty()) {
    remarks.push_back(fmt::format(
        "{} has a login password in the inventory, which is not used: log in by key or agent.", host.name));
  }
}

/// One setting for the whole cluster out of each host's own.
class Settings {
 public:
  explicit Settings(std::vector<std::string>& remarks) : remarks_{remarks} {}

  template <typename T>
  void take(const char* name, const std::optional<T>& value, std::optional<T>& into) {
    if (!value) return;
    if (!into) {
      into = value;
    } else if (*into != *value && differing_.insert(name).second) {
      remarks_.push_back(fmt::format("{} is not the same on all hosts of the inventory.", name));
    }
  }

  void take(const char* name, const std::optional<std::string>& value, std::string& into) {
    std::optional<std::string> known;
    if (!into.empty()) known = into;
    take(name, value, known);
    into = known.value_or("");
  }

 private:
  std::vector<std::string>& remarks_;
  std::set<std::string> differing_;
};

/// Only what is said outright: whether the REST interface has TLS by default depends on the release.
std::optional<bool> read_patroni_tls(const Variables& variables) {
  if (const auto protocol = variables.text({"patroni_restapi_protocol"})) {
    if (lower(*protocol) == "https") return true;
    if (lower(*protocol) == "http") return false;
  }
  if (variables.boolean({"tls_cert_generate", "tls_enable"}) == std::optional{false}) return false;
  return std::nullopt;
}

void take_haproxy_ports(const Variables& variables, Settings& merge, std::map<std::string, int>& ports) {
  const auto* entries = variables.dictionary("haproxy_listen_port");
  if (entries == nullptr) return;
  for (const auto& [listener, text] : *entries) {
    const auto port = parse_port(trim(text));
    if (!port || unfit_word(listener) != nullptr) {
      variables.ignored("an entry in haproxy_listen_port", "is no port");
      continue;
    }
    const auto known = ports.find(listener);
    std::optional<int> value;
    if (known != ports.end()) value = known->second;
    merge.take("haproxy_listen_port", port, value);
    ports[listener] = *value;
  }
}

}  // namespace

const VariableForms& used_variables() {
  static const VariableForms variables = [] {
    VariableForms forms;
    for (const char* name : {"ansible_host",
                             "ansible_ssh_host",
                             "ansible_port",
                             "ansible_ssh_port",
                             "ansible_user",
                             "ansible_ssh_user",
                             "ansible_private_key_file",
                             "ansible_ssh_private_key_file",
                             "ansible_ssh_common_args",
                             "ansible_ssh_extra_args",
                             "ansible_become",
                             "ansible_sudo",
                             "ansible_become_method",
                             "ansible_become_password",
                             "ansible_become_pass",
                             "ansible_sudo_pass",
                             "ansible_connection",
                             "hostname",
                             "bind_address",
                             "patroni_bind_address",
                             "haproxy_bind_address",
                             "etcd_bind_address",
                             "consul_bind_address",
                             "patroni_cluster_name",
                             "cluster_vip",
                             "dcs_type",
                             "patroni_restapi_port",
                             "patroni_restapi_protocol",
                             "tls_cert_generate",
                             "tls_enable",
                             "pgbouncer_listen_port",
                             "postgresql_port",
                             "with_haproxy_load_balancing"}) {
      forms[name] = VariableForm::text;
    }
    forms["haproxy_listen_port"] = VariableForm::dictionary;
    for (const char* name : {"ansible_password", "ansible_ssh_pass"}) forms[name] = VariableForm::presence;
    return forms;
  }();
  return variables;
}

const std::vector<std::string>& cluster_groups() {
  static const std::vector<std::string> groups = [] {
    std::vector<std::string> names;
    for (const RoleOfGroup& entry : kRoles) names.emplace_back(entry.group);
    return names;
  }();
  return groups;
}

std::vector<HostDescription> hosts_by_role(const InventoryListing& listing) {
  std::vector<HostDescription> hosts;
  std::map<std::string, std::size_t> places;
  for (const auto& [group, role] : kRoles) {
    for (const std::string& name : listing.hosts_of(group)) {
      const auto [place, is_new] = places.emplace(name, hosts.size());
      if (is_new) hosts.emplace_back().name = name;
      hosts[place->second].roles.insert(role);
    }
  }
  for (const std::string& name : listing.hosts_of("master")) hosts[places.at(name)].inventory_master = true;
  return hosts;
}

Result<void> check_name(const std::string& name) {
  if (const char* trouble = unfit_word(name)) return refused("the host name", "", name, trouble);
  return {};
}

Result<void> describe_host(const HostVariables& variables, HostDescription& host,
                           std::vector<std::string>& remarks) {
  const Variables values{variables, host.name, remarks};
  auto address = read_address(values, host.name);
  if (!address) return address.error();
  host.address = std::move(*address);
  auto ssh = read_ssh_access(values, host.name);
  if (!ssh) return ssh.error();
  host.ssh = std::move(*ssh);
  host.hostname = values.word({"hostname"}).value_or("");
  host.bind_address = read_bind_address(values, host.roles);
  remark_other_ways(values, host, remarks);
  return {};
}

InventorySettings read_settings(const std::vector<HostDescription>& hosts, const InventoryListing& listing,
                                std::vector<std::string>& remarks) {
  InventorySettings settings;
  Settings merge{remarks};
  for (const HostDescription& host : hosts) {
    const auto variables = listing.host_variables.find(host.name);
    if (variables == listing.host_variables.end()) continue;
    const Variables values{variables->second, host.name, remarks};
    merge.take("patroni_cluster_name", values.word({"patroni_cluster_name"}), settings.cluster_name);
    merge.take("cluster_vip", values.word({"cluster_vip"}), settings.cluster_vip);
    merge.take("dcs_type", values.word({"dcs_type"}), settings.dcs_type);
    merge.take("patroni_restapi_port", values.port({"patroni_restapi_port"}), settings.patroni_port);
    merge.take("patroni_restapi_protocol", read_patroni_tls(values), settings.patroni_tls);
    merge.take("pgbouncer_listen_port", values.port({"pgbouncer_listen_port"}), settings.pgbouncer_port);
    merge.take("postgresql_port", values.port({"postgresql_port"}), settings.postgresql_port);
    merge.take("with_haproxy_load_balancing", values.boolean({"with_haproxy_load_balancing"}),
               settings.with_haproxy);
    take_haproxy_ports(values, merge, settings.haproxy_ports);
  }
  return settings;
}

}  // namespace pgfiredrill
