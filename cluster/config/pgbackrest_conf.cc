#include "cluster/config/pgbackrest_conf.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "cluster/config/config_text.h"

namespace pgfiredrill {
namespace {

constexpr const char* kHidden = "***";
constexpr const char* kDefaultRepositoryPath = "/var/lib/pgbackrest";

/// What is wrong with a line, as a clause after "line N"; absent where nothing is.
using Problem = std::optional<std::string>;

/// Ends of names: the repository's number stands before them.
constexpr std::array<std::string_view, 8> kSecretEndings = {
    "-account", "-key", "-pass", "-passphrase", "-password", "-process-cmd", "-secret", "-token"};
constexpr std::array<std::string_view, 12> kSeveralTimes = {
    "annotation",      "-block-size-map", "db-exclude",       "db-include",
    "exclude",         "link-map",        "-sftp-known-host", "lock",
    "recovery-option", "-storage-tag",    "tablespace-map",   "tls-server-auth"};

bool is_secret(const std::string& name, std::string_view value) {
  const bool by_name = std::any_of(kSecretEndings.begin(), kSecretEndings.end(),
                                   [&](std::string_view ending) { return name.ends_with(ending); });
  // A recovery option may carry a whole connection string.
  return by_name || lower(value).find("passw") != std::string::npos;
}

bool may_stand_several_times(const std::string& name) {
  return std::any_of(kSeveralTimes.begin(), kSeveralTimes.end(), [&](std::string_view known) {
    return known.starts_with('-') ? name.ends_with(known) : name == known;
  });
}

std::string current_name(std::string_view name) {
  if (name.starts_with("repo-")) return "repo1" + std::string{name.substr(4)};
  return std::string{name};
}

/// N of repoN-...
std::optional<int> repository_key_of(std::string_view option) {
  if (!option.starts_with("repo")) return std::nullopt;
  option.remove_prefix(4);
  const auto dash = option.find('-');
  if (dash == std::string_view::npos || dash > 3) return std::nullopt;
  const auto key = parse_integer(option.substr(0, dash));
  if (!key || *key < 1) return std::nullopt;
  return static_cast<int>(*key);
}

class PgbackrestReader {
 public:
  std::optional<Failure> add(const ConfigFile& file, const std::string& text) {
    if (auto refusal = refuse_unreadable(file, text)) return refusal;
    section_.clear();  // pgBackRest wants each file to begin with its own section
    std::size_t number = 0;
    for (const std::string_view line : lines(text)) {
      ++number;
      if (const auto problem = read_line(trim(line))) return malformed_line(file, number, *problem);
    }
    return std::nullopt;
  }

  PgbackrestConf take() { return std::move(conf_); }

 private:
  Problem read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return std::nullopt;
    if (line.front() == '[') return begin_section(line);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return "has no '='";
    const std::string_view name = trim(line.substr(0, equals));
    if (name.empty()) return "has no name before '='";
    if (section_.empty()) return "stands before the first section";
    add_option(current_name(name), trim(line.substr(equals + 1)));
    return std::nullopt;
  }

  Problem begin_section(std::string_view line) {
    if (line.back() != ']') return "begins a section without ']'";
    section_ = line.substr(1, line.size() - 2);
    if (section_.empty()) return "begins a section that has no name";
    conf_.sections[section_];  // a stanza may be named and left empty
    return std::nullopt;
  }

  void add_option(const std::string& name, std::string_view value) {
    std::string& kept = conf_.sections[section_][name];
    const std::string shown = is_secret(name, value) ? kHidden : std::string{value};
    if (kept.empty() || !may_stand_several_times(name)) {
      kept = shown;
    } else {
      kept += '\n';
      kept += shown;
    }
  }

  std::string section_;
  PgbackrestConf conf_;
};

std::string repository_option(const PgbackrestConf& conf, const std::string& stanza, int key,
                              const std::string& name) {
  return conf.option(stanza, "repo" + std::to_string(key) + "-" + name);
}

std::string or_else(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

}  // namespace

std::vector<int> PgbackrestConf::repository_keys() const {
  std::set<int> keys;
  for (const auto& [section, options] : sections) {
    for (const auto& [name, value] : options) {
      if (const auto key = repository_key_of(name)) keys.insert(*key);
    }
  }
  return {keys.begin(), keys.end()};
}

std::vector<std::string> PgbackrestConf::stanzas() const {
  std::set<std::string> names;
  for (const auto& [section, options] : sections) {
    const std::string name = section.substr(0, section.find(':'));
    if (!name.empty() && name != "global") names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string PgbackrestConf::global(const std::string& option) const {
  const auto section = sections.find("global");
  if (section == sections.end()) return {};
  const auto found = section->second.find(option);
  return found == section->second.end() ? "" : found->second;
}

std::string PgbackrestConf::option(const std::string& stanza, const std::string& name) const {
  const auto section = sections.find(stanza);
  if (section != sections.end()) {
    const auto found = section->second.find(name);
    if (found != section->second.end()) return found->second;
  }
  return global(name);
}

Result<PgbackrestConf> parse_pgbackrest_conf(const std::vector<std::pair<std::string, std::string>>& files) {
  PgbackrestReader reader;
  for (const auto& [path, text] : files) {
    const ConfigFile file{.name = "pgBackRest's configuration",
                          .where = path,
                          .hint = "pgBackRest itself refuses such a file: correct it there."};
    if (const auto failure = reader.add(file, text)) return *failure;
  }
  return reader.take();
}

std::string repository_type(const PgbackrestConf& conf, const std::string& stanza, int key) {
  return or_else(repository_option(conf, stanza, key, "type"), "posix");
}

std::string repository_location(const PgbackrestConf& conf, const std::string& stanza, int key) {
  const auto option = [&](const std::string& name) { return repository_option(conf, stanza, key, name); };
  const std::string type = repository_type(conf, stanza, key);
  const std::string path = or_else(option("path"), kDefaultRepositoryPath);

  if (type == "s3" || type == "gcs" || type == "azure") {
    const std::string bucket = option(type == "azure" ? "azure-container" : type + "-bucket");
    const std::string location = type + "://" + bucket + (path.starts_with('/') ? "" : "/") + path;
    const std::string endpoint = option(type + "-endpoint");
    if (endpoint.empty()) return location;
    const std::string port = option("storage-port");  // tells repositories on one machine apart
    return location + " at " + endpoint + (port.empty() ? "" : ":" + port);
  }
  const std::string host = or_else(option("host"), option("sftp-host"));
  const std::string location = type + " " + path;
  return host.empty() ? location : location + " on " + host;
}

}  // namespace pgfiredrill
