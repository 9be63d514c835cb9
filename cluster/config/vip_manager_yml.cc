#include "cluster/config/vip_manager_yml.h"

#include <initializer_list>
#include <limits>

#include "base/text.h"
#include "cluster/config/yaml_document.h"

namespace pgfiredrill {
namespace {

/// The first of `names` that is set: the present name, then those of older releases.
std::string setting(const YamlDocument& yaml, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::string text = yaml.text_at(yaml.root(), {name});
    if (!text.empty()) return text;
  }
  return {};
}

std::optional<std::chrono::milliseconds> milliseconds_of(const std::string& text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return std::chrono::milliseconds{*number};
}

}  // namespace

Result<VipManagerYml> parse_vip_manager_yml(const std::string& text, const std::string& where) {
  const ConfigFile file{.name = "vip-manager's configuration",
                        .where = where,
                        .hint = "vip-manager's log says what it makes of the file when it starts."};
  const auto yaml = YamlDocument::parse(text, file);
  if (!yaml) return yaml.error();
  if (yaml->kind(yaml->root()) != YamlDocument::Kind::mapping) {
    return malformed_file(file, "it is not a mapping of settings");
  }
  return VipManagerYml{.address = setting(*yaml, {"ip"}),
                       .interface = setting(*yaml, {"interface", "iface"}),
                       .trigger_key = setting(*yaml, {"trigger-key", "key"}),
                       .trigger_value = setting(*yaml, {"trigger-value", "nodename"}),
                       .dcs_type = setting(*yaml, {"dcs-type", "endpoint_type", "type"}),
                       .interval = milliseconds_of(setting(*yaml, {"interval"}))};
}

}  // namespace pgfiredrill
