#include "cluster/config/haproxy_server.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "cluster/config/haproxy_values.h"

namespace pgfiredrill {
namespace {

/// Parameters with a value that says nothing here. They must be known all the same: the value may be a word
/// that is a parameter elsewhere ("cookie check").
constexpr std::array<std::string_view, 58> kPassedOverWithValue = {"agent-addr",
                                                                   "agent-inter",
                                                                   "agent-port",
                                                                   "agent-send",
                                                                   "alpn",
                                                                   "ca-file",
                                                                   "check-alpn",
                                                                   "check-proto",
                                                                   "check-reuse-pool-name",
                                                                   "check-sni",
                                                                   "ciphers",
                                                                   "ciphersuites",
                                                                   "client-sigalgs",
                                                                   "cookie",
                                                                   "crl-file",
                                                                   "crt",
                                                                   "curves",
                                                                   "error-limit",
                                                                   "guid",
                                                                   "hash-key",
                                                                   "id",
                                                                   "idle-ping",
                                                                   "init-addr",
                                                                   "init-state",
                                                                   "interface",
                                                                   "log-bufsize",
                                                                   "log-proto",
                                                                   "maxconn",
                                                                   "maxqueue",
                                                                   "max-reuse",
                                                                   "minconn",
                                                                   "namespace",
                                                                   "npn",
                                                                   "observe",
                                                                   "on-error",
                                                                   "on-marked-up",
                                                                   "pool-conn-name",
                                                                   "pool-low-conn",
                                                                   "pool-max-conn",
                                                                   "pool-purge-delay",
                                                                   "proto",
                                                                   "proxy-v2-options",
                                                                   "redir",
                                                                   "resolve-net",
                                                                   "resolve-opts",
                                                                   "resolve-prefer",
                                                                   "resolvers",
                                                                   "set-proxy-v2-tlv-fmt",
                                                                   "shard",
                                                                   "sigalgs",
                                                                   "slowstart",
                                                                   "sni",
                                                                   "socks4",
                                                                   "source",
                                                                   "tcp-ut",
                                                                   "track",
                                                                   "verifyhost",
                                                                   "weight"};

bool is_passed_over_with_value(const std::string& name) {
  return std::find(kPassedOverWithValue.begin(), kPassedOverWithValue.end(), name) !=
         kPassedOverWithValue.end();
}

bool apply_flag(HaproxyServerDraft& draft, const std::string& name) {
  if (name == "check" || name == "no-check") {
    draft.server.check = name == "check";
  } else if (name == "disabled" || name == "enabled") {
    draft.server.disabled = name == "disabled";
  } else if (name == "ssl" || name == "no-ssl") {
    draft.tls = name == "ssl";
  } else if (name == "check-ssl" || name == "no-check-ssl") {
    draft.check_tls_forced = name == "check-ssl";
  } else {
    return false;
  }
  return true;
}

std::optional<std::chrono::milliseconds>* time_of(HaproxyServer& server, const std::string& name) {
  if (name == "inter") return &server.inter;
  if (name == "fastinter") return &server.fastinter;
  if (name == "downinter") return &server.downinter;
  return nullptr;
}

std::optional<int>* count_of(HaproxyServer& server, const std::string& name) {
  if (name == "fall") return &server.fall;
  if (name == "rise") return &server.rise;
  return nullptr;
}

std::optional<std::string> apply_number(HaproxyServerDraft& draft, const std::string& name,
                                        const HaproxyWord& value) {
  if (value.variable) return std::nullopt;
  if (auto* time = time_of(draft.server, name)) {
    *time = haproxy_time(value.text);
    if (!*time) return "has a '" + name + "' that is no time";
  } else if (auto* count = count_of(draft.server, name)) {
    const auto number = parse_integer(value.text);
    if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) {
      return "has a '" + name + "' that is no count";
    }
    *count = static_cast<int>(*number);
  } else if (name == "port") {
    draft.server.check_port = parse_port(value.text);
    if (!draft.server.check_port) return "has a check port that is none";
  }
  return std::nullopt;
}

bool takes_number(HaproxyServerDraft& draft, const std::string& name) {
  return time_of(draft.server, name) != nullptr || count_of(draft.server, name) != nullptr || name == "port";
}

bool apply_word(HaproxyServerDraft& draft, const std::string& name, const HaproxyWord& value) {
  if (name == "on-marked-down") {
    draft.server.shutdown_sessions = value.text == "shutdown-sessions";
  } else if (name == "verify") {
    draft.verifies = value.text != "none";
  } else if (name == "addr") {
    draft.check_address_own = true;
  } else {
    return is_passed_over_with_value(name);
  }
  return true;
}

}  // namespace

std::optional<std::string> apply_server_parameters(HaproxyServerDraft& draft,
                                                   const std::vector<HaproxyWord>& words,
                                                   std::size_t first_parameter) {
  static const HaproxyWord kNone;
  for (std::size_t at = first_parameter; at < words.size(); ++at) {
    const std::string& name = words[at].text;
    if (apply_flag(draft, name)) continue;
    const HaproxyWord& value = at + 1 < words.size() ? words[at + 1] : kNone;
    if (takes_number(draft, name)) {
      if (auto problem = apply_number(draft, name, value)) return problem;
      ++at;
    } else if (apply_word(draft, name, value)) {
      ++at;
    }
  }
  return std::nullopt;
}

HaproxyServer finish_server(const HaproxyServerDraft& draft, bool verify_by_default) {
  HaproxyServer server = draft.server;
  // A check goes over the traffic's own TLS only where it goes to the traffic's own address and port.
  const bool as_traffic = draft.tls && !server.check_port && !draft.check_address_own;
  server.check_tls = draft.check_tls_forced || as_traffic;
  server.check_verifies = server.check_tls && draft.verifies.value_or(verify_by_default);
  return server;
}

}  // namespace pgfiredrill
