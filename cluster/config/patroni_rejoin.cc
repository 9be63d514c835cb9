#include "cluster/config/patroni_rejoin.h"

#include "base/text.h"
#include "cluster/config/yaml_document.h"

namespace pgfiredrill {
namespace {

constexpr const char* kRemovers[] = {"remove_data_directory_on_rewind_failure",
                                     "remove_data_directory_on_diverged_timelines"};

/// As pg_basebackup reads it: kilobytes a second, or with a suffix k or M.
std::optional<std::int64_t> bytes_per_second(std::string text) {
  std::int64_t unit = 1'024;
  if (!text.empty() && (text.back() == 'k' || text.back() == 'M')) {
    if (text.back() == 'M') unit *= 1'024;
    text.pop_back();
  }
  const auto number = parse_integer(text);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (!number || *number <= 0 || *number > kMost / unit) return std::nullopt;
  return *number * unit;
}

/// `basebackup` is a mapping, or a list of options and mappings of one option each.
std::optional<std::int64_t> max_rate(const YamlDocument& document, YamlDocument::Node basebackup) {
  if (const std::string text = document.text_at(basebackup, {"max-rate"}); !text.empty()) {
    return bytes_per_second(text);
  }
  for (const YamlDocument::Node option : document.members(basebackup)) {
    const std::string text = document.text_at(option, {"max-rate"});
    if (!text.empty()) return bytes_per_second(text);
  }
  return std::nullopt;
}

}  // namespace

Result<PatroniRejoin> parse_patroni_rejoin(const std::string& text, const std::string& where) {
  const ConfigFile file{
      .name = "Patroni's configuration", .where = where, .hint = "Patroni itself may not read it either."};
  const auto document = YamlDocument::parse(text, file);
  if (!document) return document.error();
  PatroniRejoin rejoin;
  for (const char* key : kRemovers) {
    if (parse_bool(document->text_at(document->root(), {"postgresql", key})).value_or(false)) {
      rejoin.removes_data.emplace_back(key);
    }
  }
  if (const auto basebackup = document->find_path(document->root(), {"postgresql", "basebackup"})) {
    rejoin.basebackup_bytes_per_s = max_rate(*document, *basebackup);
  }
  if (const auto slots = document->find(document->root(), "slots")) {
    for (const auto& [name, slot] : document->entries(*slots)) rejoin.permanent_slots.insert(name);
  }
  return rejoin;
}

}  // namespace pgfiredrill
