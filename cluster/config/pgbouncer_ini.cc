#include "cluster/config/pgbouncer_ini.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "cluster/config/config_text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kMaximumRemarks = 20;

/// What is wrong with a line, as a clause after "line N"; absent where nothing is.
using Problem = std::optional<std::string>;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

/// A value of a connection string; single quotes hold anything, a doubled one is one. Takes it off `text`
/// with the character behind it, as PgBouncer does. Absent where a quote stays open or nothing is there.
std::optional<std::string> take_connection_value(std::string_view& text) {
  std::string value;
  std::size_t at = 0;
  if (text.starts_with('\'')) {
    for (at = 1;; ++at) {
      if (at >= text.size()) return std::nullopt;
      if (text[at] == '\'') {
        if (at + 1 >= text.size() || text[at + 1] != '\'') break;
        ++at;
      }
      value += text[at];
    }
    ++at;
  } else {
    at = std::min(text.find_first_of(" \t"), text.size());
    value = text.substr(0, at);
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  if (value.empty()) return std::nullopt;
  return value;
}

/// `key=value key='value'`; passwords are left out.
std::optional<std::map<std::string, std::string>> parse_connection_string(std::string_view text) {
  std::map<std::string, std::string> options;
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    const auto end = text.find_first_of("= \t");
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const std::string key{text.substr(0, end)};
    text.remove_prefix(end);
    skip_blanks(text);
    if (!text.starts_with('=')) return std::nullopt;
    text.remove_prefix(1);
    skip_blanks(text);
    const auto value = take_connection_value(text);
    if (!value) return std::nullopt;
    if (key != "password") options[key] = *value;
  }
  return options;
}

/// The name before "="; one with other characters stands in quotes. Takes it off `line`.
std::optional<std::string> take_name(std::string_view& line) {
  if (line.starts_with('\'') || line.starts_with('"')) {
    const auto end = line.find(line.front(), 1);
    if (end == std::string_view::npos || end == 1) return std::nullopt;
    const std::string name{line.substr(1, end - 1)};
    line.remove_prefix(end + 1);
    return name;
  }
  constexpr std::string_view kNameCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-*";
  const auto end = std::min(line.find_first_not_of(kNameCharacters), line.size());
  if (end == 0) return std::nullopt;
  const std::string name{line.substr(0, end)};
  line.remove_prefix(end);
  return name;
}

class PgbouncerReader {
 public:
  explicit PgbouncerReader(const ConfigFile& file) : file_{file} {}

  Result<PgbouncerIni> read(const std::string& text) {
    for (const std::string_view line : lines(text)) {
      ++line_;
      if (const auto problem = read_line(trim(line))) return malformed_line(file_, line_, *problem);
    }
    return std::move(ini_);
  }

 private:
  Problem read_line(std::string_view line) {
    if (line.empty() || line.front() == ';' || line.front() == '#') return std::nullopt;
    if (line.starts_with("%include") && line.size() > 8 && is_blank(line[8])) {
      remark("includes another file, which is not read");
      return std::nullopt;
    }
    if (!line.starts_with('[')) return read_assignment(line);
    const auto end = line.find(']');
    if (end == std::string_view::npos) return "begins a section without ']'";
    section_ = lower(line.substr(1, end - 1));
    const auto rest = trim(line.substr(end + 1));  // PgBouncer reads on behind the bracket
    if (rest.empty() || rest.front() == ';' || rest.front() == '#') return std::nullopt;
    return read_assignment(rest);
  }

  Problem read_assignment(std::string_view line) {
    const auto name = take_name(line);
    if (!name) return "does not begin with a name";
    skip_blanks(line);
    if (!line.starts_with('=')) return "has no '=' after the name";
    if (section_.empty()) return "stands before the first section";
    const std::string_view value = trim(line.substr(1));
    if (section_ == "databases") return add_database(*name, value);
    if (section_ == "pgbouncer") add_setting(lower(*name), value);
    return std::nullopt;
  }

  Problem add_database(const std::string& name, std::string_view connection) {
    auto options = parse_connection_string(connection);
    if (!options) return "has a connection string that is none";
    const auto [known, added] = index_.try_emplace(name, ini_.databases.size());
    if (added) ini_.databases.push_back({.name = name, .options = {}});
    ini_.databases[known->second].options = std::move(*options);
    return std::nullopt;
  }

  void add_setting(const std::string& name, std::string_view value) {
    ini_.settings[name] = name == "auth_ldap_options" ? "***" : std::string{value};
  }

  void remark(const std::string& clause) {
    if (ini_.remarks.size() >= kMaximumRemarks) return;
    ini_.remarks.push_back(file_.where + ": line " + std::to_string(line_) + " " + clause + ".");
  }

  ConfigFile file_;
  std::size_t line_ = 0;
  std::string section_;
  std::map<std::string, std::size_t> index_;
  PgbouncerIni ini_;
};

}  // namespace

std::string PgbouncerIni::setting(const std::string& name) const {
  const auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

std::optional<int> PgbouncerIni::listen_port() const {
  return parse_port(setting("listen_port"));
}

std::vector<std::string> PgbouncerIni::list(const std::string& name) const {
  return split_list(setting(name), ',');
}

Result<PgbouncerIni> parse_pgbouncer_ini(const std::string& text, const std::string& where) {
  const ConfigFile file{.name = "PgBouncer's configuration",
                        .where = where,
                        .hint = "PgBouncer's log says what it makes of the file when it is reloaded."};
  if (const auto refusal = refuse_unreadable(file, text)) return *refusal;
  return PgbouncerReader{file}.read(text);
}

}  // namespace pgfiredrill
