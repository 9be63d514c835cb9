#include "cluster/config/haproxy_cfg.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include "base/text.h"
#include "cluster/config/config_text.h"
#include "cluster/config/haproxy_server.h"
#include "cluster/config/haproxy_values.h"
#include "cluster/config/haproxy_words.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kMaximumRemarks = 20;
constexpr int kMaximumPortsOfBind = 100;
constexpr std::size_t kMaximumBinds = 10'000;
constexpr std::size_t kMaximumSections = 10'000;
/// Every frontend may name the same backend, so their servers can be many more than the file's lines.
constexpr std::size_t kMaximumServers = 100'000;

using Words = std::vector<HaproxyWord>;
/// What is wrong with a line, as a clause after "line N"; absent where nothing is.
using Problem = std::optional<std::string>;

/// Sections that hold nothing of interest, but words (`bind`, `server`) that would be misread in others.
constexpr std::array<std::string_view, 18> kOtherSections = {
    "acme",        "aggregations", "cache",       "crt-store",   "dynamic-update", "fcgi-app",
    "healthcheck", "http-errors",  "log-forward", "log-profile", "mailers",        "namespace_list",
    "peers",       "program",      "resolvers",   "ring",        "traces",         "userlist"};

/// Checks of other protocols: of several check options the last one counts.
constexpr std::array<std::string_view, 9> kOtherChecks = {"external-check", "ldap-check",    "mysql-check",
                                                          "pgsql-check",    "redis-check",   "smtpchk",
                                                          "spop-check",     "ssl-hello-chk", "tcp-check"};

/// Each of these turns the statistics on, as `stats enable` does.
constexpr std::array<std::string_view, 11> kStatsWords = {
    "admin",   "auth",  "enable",    "hide-version", "maxconn", "realm",
    "refresh", "scope", "show-desc", "show-legends", "uri"};

template <typename List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

enum class SectionKind : unsigned char { none, other, global, defaults, listen, frontend, backend };

SectionKind section_kind(std::string_view word) {
  if (word == "global") return SectionKind::global;
  if (word == "defaults") return SectionKind::defaults;
  if (word == "listen") return SectionKind::listen;
  if (word == "frontend") return SectionKind::frontend;
  if (word == "backend") return SectionKind::backend;
  return holds(kOtherSections, word) ? SectionKind::other : SectionKind::none;
}

/// A `defaults`, `listen`, `frontend` or `backend` section. A new one begins as a copy of its defaults.
struct Proxy {
  SectionKind kind = SectionKind::defaults;
  HaproxyListener listener;
  HaproxyServerDraft default_server;
  std::vector<HaproxyServerDraft> servers;
  std::string default_backend;
  std::string used_backend;  ///< of the first `use_backend` without a condition
  bool http_check = false;
  bool disabled = false;
};

class HaproxyReader {
 public:
  explicit HaproxyReader(const ConfigFile& file) : file_{file} {}

  Result<HaproxyCfg> read(const std::string& text) {
    line_ = 0;
    for (const std::string_view line : lines(text)) {
      ++line_;
      const auto words = haproxy_words(line);
      if (!words) return malformed_line(file_, line_, "has a quote that is not closed");
      if (words->empty()) continue;
      if (const auto problem = read_line(*words)) return malformed_line(file_, line_, *problem);
    }
    return finish();
  }

 private:
  Problem read_line(const Words& words) {
    const std::string& first = words.front().text;
    if (first.starts_with('.')) {
      remark("has a conditional or message directive, which is not evaluated");
      return std::nullopt;
    }
    const SectionKind kind = section_kind(first);
    if (kind != SectionKind::none) return begin_section(kind, words);
    if (section_ == SectionKind::global) return read_global(words);
    if (in_proxy()) return read_proxy(words);
    return std::nullopt;
  }

  bool in_proxy() const {
    return section_ == SectionKind::defaults || section_ == SectionKind::listen ||
           section_ == SectionKind::frontend || section_ == SectionKind::backend;
  }

  Proxy& proxy() { return section_ == SectionKind::defaults ? defaults_ : proxies_.back(); }

  static const std::string& word(const Words& words, std::size_t at) {
    static const std::string kNone;
    return at < words.size() ? words[at].text : kNone;
  }

  // ---- sections

  Problem begin_section(SectionKind kind, const Words& words) {
    keep_named_defaults();
    section_ = kind;
    if (!in_proxy()) return std::nullopt;
    const bool is_defaults = kind == SectionKind::defaults;
    const bool named = words.size() > 1 && !(is_defaults && words[1].text == "from");
    if (!is_defaults && !named) return "begins a section that has no name";

    const Proxy* base = is_defaults ? &pristine_ : &defaults_;
    const std::size_t from = named ? 2 : 1;
    if (word(words, from) == "from") {
      const auto found = named_defaults_.find(word(words, from + 1));
      if (found == named_defaults_.end()) return "builds on a defaults section that is not there";
      base = &found->second;
    }
    Proxy begun = *base;
    begun.kind = kind;
    begun.listener.name = named ? words[1].text : "";
    if (++sections_ > kMaximumSections) return "begins one section too many";
    if (is_defaults) {
      defaults_ = std::move(begun);
    } else {
      proxies_.push_back(std::move(begun));
    }
    return std::nullopt;
  }

  void keep_named_defaults() {
    if (section_ == SectionKind::defaults && !defaults_.listener.name.empty()) {
      named_defaults_[defaults_.listener.name] = defaults_;
    }
  }

  // ---- global

  Problem read_global(const Words& words) {
    const std::string& name = words.front().text;
    if (name == "maxconn") return read_count(words, cfg_.maxconn);
    if (name == "ssl-server-verify") verify_by_default_ = word(words, 1) != "none";
    if (name == "stats" && word(words, 1) == "socket" && cfg_.admin_socket.empty()) {
      const HaproxyAddress address = haproxy_address(word(words, 2));
      if (!address.network && address.host.starts_with('/')) cfg_.admin_socket = address.host;
    }
    return std::nullopt;
  }

  // ---- defaults, listen, frontend, backend

  Problem read_proxy(const Words& words) {
    const std::string& name = words.front().text;
    HaproxyListener& listener = proxy().listener;
    if (section_ == SectionKind::defaults && (name == "bind" || name == "server")) {
      return "has what HAProxy does not take in a defaults section";  // each later section would copy it
    }
    if (name == "bind") return read_bind(words);
    if (name == "server") return read_server(words);
    if (name == "default-server") return apply_server_parameters(proxy().default_server, words, 1);
    if (name == "timeout") return read_timeout(words);
    if (name == "maxconn") return read_count(words, listener.maxconn);
    if (name == "option") return read_option(words, 1, true);
    if (name == "no" && word(words, 1) == "option") return read_option(words, 2, false);
    if (name == "mode") listener.mode = word(words, 1);
    if (name == "balance") listener.balance = word(words, 1);
    if (name == "http-check") read_http_check(words);
    if (name == "stats") read_stats(words);
    if (name == "default_backend") proxy().default_backend = word(words, 1);
    if (name == "use_backend") read_use_backend(words);
    if (name == "disabled" || name == "enabled") proxy().disabled = name == "disabled";
    if (name == "server-template") remark("has a server template, whose servers are not listed");
    return std::nullopt;
  }

  Problem read_bind(const Words& words) {
    if (words.size() < 2) return "has a bind without an address";
    for (const std::string& part : split_list(words[1].text, ',')) {
      const HaproxyAddress address = haproxy_address(part);
      if (!address.network) continue;
      const auto range = haproxy_port_range(address.port);
      if (range) {
        if (auto problem = add_binds(address.host, *range)) return problem;
      } else if (words[1].variable && part.find('$') != std::string::npos) {
        remark("has a bind whose port stands in an environment variable");
      } else {
        return address.port.empty() ? "has a bind without a port" : "has a bind whose port is none";
      }
    }
    return std::nullopt;
  }

  Problem add_binds(const std::string& host, PortRange range) {
    if (range.last - range.first >= kMaximumPortsOfBind) {
      remark("binds so many ports that only the first is looked at");
      range.last = range.first;
    }
    for (int port = range.first; port <= range.last; ++port) {
      if (++binds_ > kMaximumBinds) return "binds one port too many";
      proxy().listener.binds.push_back({.host = host, .port = port});
    }
    return std::nullopt;
  }

  Problem read_server(const Words& words) {
    if (words.size() < 3) return "has a server without a name or an address";
    HaproxyServerDraft draft = proxy().default_server;
    draft.server.name = words[1].text;
    const HaproxyAddress address = haproxy_address(words[2].text);
    draft.server.address = {.host = address.host, .port = parse_port(address.port).value_or(0)};
    if (words[2].variable) remark("has a server whose address stands in an environment variable");
    if (auto problem = apply_server_parameters(draft, words, 3)) return problem;
    proxy().servers.push_back(std::move(draft));
    return std::nullopt;
  }

  Problem read_timeout(const Words& words) {
    HaproxyListener& listener = proxy().listener;
    const std::map<std::string_view, std::optional<std::chrono::milliseconds>*> timeouts = {
        {"connect", &listener.timeout_connect},
        {"client", &listener.timeout_client},
        {"server", &listener.timeout_server},
        {"check", &listener.timeout_check},
        {"queue", &listener.timeout_queue}};
    const auto timeout = timeouts.find(word(words, 1));
    if (timeout == timeouts.end()) return std::nullopt;
    if (is_variable(words, 2)) return std::nullopt;
    const auto time = haproxy_time(word(words, 2));
    if (!time) return "has a timeout that is no time";
    *timeout->second = time;
    return std::nullopt;
  }

  Problem read_count(const Words& words, std::optional<int>& count) {
    if (is_variable(words, 1)) return std::nullopt;
    const auto number = parse_integer(word(words, 1));
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) {
      return "has a maxconn that is no count";
    }
    count = static_cast<int>(*number);
    return std::nullopt;
  }

  bool is_variable(const Words& words, std::size_t at) {
    if (at >= words.size() || !words[at].variable) return false;
    remark("has a value that stands in an environment variable");
    return true;
  }

  Problem read_option(const Words& words, std::size_t at, bool on) {
    const std::string& name = word(words, at);
    if (holds(kOtherChecks, name) && on) proxy().http_check = false;
    if (name != "httpchk") return std::nullopt;
    proxy().http_check = on;
    const std::string& first = word(words, at + 1);
    const std::string& second = word(words, at + 2);
    if (first.empty()) return std::nullopt;
    // One argument is the path; of more the first is the method.
    proxy().listener.check_method = second.empty() ? "OPTIONS" : first;
    proxy().listener.check_path = second.empty() ? first : second;
    return std::nullopt;
  }

  void read_http_check(const Words& words) {
    if (word(words, 1) != "send") return;
    for (std::size_t at = 2; at + 1 < words.size(); at += 2) {
      if (words[at].text == "meth") proxy().listener.check_method = words[at + 1].text;
      if (words[at].text == "uri") proxy().listener.check_path = words[at + 1].text;
      if (words[at].text == "hdr") ++at;  // a name and a value
    }
  }

  void read_stats(const Words& words) {
    const std::string& name = word(words, 1);
    if (!holds(kStatsWords, name)) return;
    proxy().listener.stats_enabled = true;
    if (name == "uri") proxy().listener.stats_uri = word(words, 2);
  }

  void read_use_backend(const Words& words) {
    const bool conditional = word(words, 2) == "if" || word(words, 2) == "unless";
    if (!conditional && proxy().used_backend.empty()) proxy().used_backend = word(words, 1);
  }

  // ---- the whole

  Result<HaproxyCfg> finish() {
    std::map<std::string, const Proxy*> backends;
    for (const Proxy& candidate : proxies_) {
      if (candidate.kind != SectionKind::frontend) backends[candidate.listener.name] = &candidate;
    }
    std::size_t servers = 0;
    for (const Proxy& front : proxies_) {
      if (front.kind == SectionKind::backend || front.disabled) continue;
      const std::string& name = front.default_backend.empty() ? front.used_backend : front.default_backend;
      const auto named = backends.find(name);
      const Proxy& back = named == backends.end() ? front : *named->second;
      servers += back.servers.size();
      if (servers > kMaximumServers) return malformed_file(file_, "it has far too many servers");
      cfg_.listeners.push_back(listener_of(front, back));
    }
    return std::move(cfg_);
  }

  HaproxyListener listener_of(const Proxy& front, const Proxy& back) const {
    HaproxyListener listener = front.listener;
    if (&front != &back) take_backend_settings(listener, back.listener);
    if (!back.http_check) {
      listener.check_method.clear();
      listener.check_path.clear();
    } else {
      if (listener.check_method.empty()) listener.check_method = "OPTIONS";
      if (listener.check_path.empty()) listener.check_path = "/";
    }
    if (listener.stats_enabled && listener.stats_uri.empty()) listener.stats_uri = "/haproxy?stats";
    for (const HaproxyServerDraft& draft : back.servers) {
      listener.servers.push_back(finish_server(draft, verify_by_default_));
    }
    return listener;
  }

  static void take_backend_settings(HaproxyListener& listener, const HaproxyListener& backend) {
    listener.check_method = backend.check_method;
    listener.check_path = backend.check_path;
    listener.balance = backend.balance;
    listener.timeout_connect = backend.timeout_connect;
    listener.timeout_server = backend.timeout_server;
    listener.timeout_check = backend.timeout_check;
    listener.timeout_queue = backend.timeout_queue;
  }

  void remark(const std::string& clause) {
    if (cfg_.remarks.size() >= kMaximumRemarks) return;
    cfg_.remarks.push_back(file_.where + ": line " + std::to_string(line_) + " " + clause + ".");
  }

  ConfigFile file_;
  std::size_t line_ = 0;
  std::size_t sections_ = 0;
  std::size_t binds_ = 0;
  HaproxyCfg cfg_;
  SectionKind section_ = SectionKind::none;
  bool verify_by_default_ = true;
  const Proxy pristine_;
  Proxy defaults_;
  std::map<std::string, Proxy> named_defaults_;
  std::vector<Proxy> proxies_;
};

}  // namespace

Result<HaproxyCfg> parse_haproxy_cfg(const std::string& text, const std::string& where) {
  const ConfigFile file{
      .name = "HAProxy's configuration", .where = where, .hint = "Let 'haproxy -c -f' check the file there."};
  if (const auto refusal = refuse_unreadable(file, text)) return *refusal;
  return HaproxyReader{file}.read(text);
}

}  // namespace pgfiredrill
