#include "cluster/config/etcd_conf.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "cluster/config/config_text.h"

namespace pgfiredrill {
namespace {

constexpr std::string_view kPrefix = "ETCD_";

/// A value as systemd reads it from an environment file: parts in quotes and without stand side by side; a
/// backslash escapes outside quotes and, before ["\$`], in double ones. Absent where a quote stays open.
std::optional<std::string> unquote(std::string_view text) {
  std::string value;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && next != '\0') {
      constexpr std::string_view kEscapedInQuotes = "\"\\$`";
      if (quote == '"' && kEscapedInQuotes.find(next) == std::string_view::npos) value += c;
      value += next;
      ++at;
    } else {
      value += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return value;
}

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool continues(std::string_view line) {
  const auto last_other = line.find_last_not_of('\\');
  const auto backslashes = line.size() - (last_other == std::string_view::npos ? 0 : last_other + 1);
  return backslashes % 2 == 1;
}

struct LogicalLine {
  std::size_t number;  ///< of its first line
  std::string text;
};

/// Lines with those joined that a backslash at the end continues.
std::vector<LogicalLine> logical_lines(std::string_view text) {
  std::vector<LogicalLine> result;
  std::size_t number = 0;
  bool continued = false;
  for (const std::string_view line : lines(text)) {
    ++number;
    const bool more = continues(line);
    const std::string_view part = more ? line.substr(0, line.size() - 1) : line;
    if (continued) {
      result.back().text += part;
    } else {
      result.push_back({.number = number, .text = std::string{part}});
    }
    continued = more;
  }
  return result;
}

std::optional<std::chrono::milliseconds> milliseconds_of(const std::string& text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return std::chrono::milliseconds{*number};
}

/// `name=URL,name=URL`; of a member with several URLs the first.
std::map<std::string, std::string> parse_initial_cluster(const std::string& text) {
  std::map<std::string, std::string> members;
  for (const std::string& part : split_list(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) continue;
    members.try_emplace(std::string{trim(std::string_view{part}.substr(0, equals))},
                        trim(std::string_view{part}.substr(equals + 1)));
  }
  return members;
}

std::string setting(const EtcdConf& conf, const std::string& name) {
  const auto found = conf.settings.find(name);
  return found == conf.settings.end() ? "" : found->second;
}

void interpret(EtcdConf& conf) {
  conf.name = setting(conf, "NAME");
  conf.advertised_client_urls = split_list(setting(conf, "ADVERTISE_CLIENT_URLS"), ',');
  conf.initial_cluster = parse_initial_cluster(setting(conf, "INITIAL_CLUSTER"));
  conf.heartbeat_interval = milliseconds_of(setting(conf, "HEARTBEAT_INTERVAL"));
  conf.election_timeout = milliseconds_of(setting(conf, "ELECTION_TIMEOUT"));
  conf.client_certificate_required = parse_bool(setting(conf, "CLIENT_CERT_AUTH")).value_or(false);
}

}  // namespace

Result<EtcdConf> parse_etcd_conf(const std::string& text, const std::string& where) {
  const ConfigFile file{.name = "etcd's configuration",
                        .where = where,
                        .hint = "It shall hold lines of the form ETCD_NAME=\"VALUE\"."};
  if (const auto refusal = refuse_unreadable(file, text)) return *refusal;
  EtcdConf conf;
  for (const LogicalLine& line : logical_lines(text)) {
    const std::string_view content = trim(line.text);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    const auto equals = content.find('=');
    const std::string_view name = trim(content.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(name)) {
      return malformed_line(file, line.number, "is no assignment");
    }
    const auto value = unquote(trim(content.substr(equals + 1)));
    if (!value) return malformed_line(file, line.number, "has a quote that is not closed");
    if (name.starts_with(kPrefix)) conf.settings[std::string{name.substr(kPrefix.size())}] = *value;
  }
  interpret(conf);
  return conf;
}

}  // namespace pgfiredrill
